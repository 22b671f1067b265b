import { Readable } from "node:stream";
import { spec, type TestEvent } from "node:test/reporters";

/** The interval for rewriting the line on a terminal. */
const REWRITE_INTERVAL_MS = 500;
/** The interval for adding a line elsewhere. */
const LINE_INTERVAL_MS = 30_000;

/**
 * Reports runs of thousands of tests: one line of progress, then the failed tests and the summary of the `spec`
 * reporter. Diagnostics and reasons of skipped tests are printed as `spec` prints them.
 */
// Node's test runner requires a default export.
export default async function* progress(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string, void> {
  const counts = new Counts(process.stderr.isTTY);
  const output = Readable.from(hidePasses(source, counts)).compose(new spec());
  try {
    for await (const chunk of output) {
      counts.clear();
      yield String(chunk);
    }
  } finally {
    counts.stop();
  }
}

async function* hidePasses(
  source: AsyncIterable<TestEvent>,
  counts: Counts,
): AsyncGenerator<TestEvent, void> {
  for await (const event of source) {
    counts.add(event);
    if (!isHidden(event)) yield event;
  }
}

/** A passed test prints nothing; a skipped test prints its reason. */
function isHidden({ type, data }: TestEvent): boolean {
  if (type === "test:pass") return !isSkipped(data);
  return type === "test:start" || type === "test:plan";
}

function isSkipped({ skip = false }: { readonly skip?: string | boolean }): boolean {
  return skip !== false;
}

/** Counts test results and shows the counts. */
class Counts {
  readonly #isTerminal: boolean;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  #isShown = false;

  constructor(isTerminal: boolean) {
    this.#isTerminal = isTerminal;
    this.#timer = setInterval(
      () => this.#show(),
      isTerminal ? REWRITE_INTERVAL_MS : LINE_INTERVAL_MS,
    ).unref();
  }

  add({ type, data }: TestEvent): void {
    if (type === "test:fail") this.#failed += 1;
    else if (type !== "test:pass") return;
    else if (isSkipped(data)) this.#skipped += 1;
    else this.#passed += 1;
  }

  /** Clears the line for other output. */
  clear(): void {
    if (this.#isTerminal && this.#isShown) process.stderr.write("\r\u001B[K");
    this.#isShown = false;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #show(): void {
    const seconds = Math.round((performance.now() - this.#startedAt) / 1_000);
    const line = `${seconds} s: ${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped`;
    process.stderr.write(this.#isTerminal ? `\r\u001B[K${line}` : `${line}\n`);
    this.#isShown = true;
  }
}
