import { Readable } from "node:stream";
import { spec } from "node:test/reporters";
import type { TestEvent } from "node:test/reporters";

/** On a terminal the line is written anew this often; elsewhere a new one is added this often. */
const REWRITTEN_MS = 500;
const ADDED_MS = 30_000;

/**
 * A reporter for runs of thousands of tests: one line of progress, then the tests that failed and the summary of the `spec`
 * reporter. What a test says of itself (figures, reasons of skipped tests) is printed as by `spec`.
 */
// Node's test runner asks for a default export.
export default async function* progress(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string, void> {
  const counts = new Counts(process.stderr.isTTY);
  const rest = Readable.from(withoutPasses(source, counts)).compose(new spec());
  try {
    for await (const chunk of rest) {
      counts.clear();
      yield String(chunk);
    }
  } finally {
    counts.stop();
  }
}

async function* withoutPasses(
  source: AsyncIterable<TestEvent>,
  counts: Counts,
): AsyncGenerator<TestEvent, void> {
  for await (const event of source) {
    counts.take(event);
    if (!isQuiet(event)) yield event;
  }
}

/** A test that passed says nothing, unless it was skipped, which has a reason. */
function isQuiet({ type, data }: TestEvent): boolean {
  if (type === "test:pass") return !isSkipped(data);
  return type === "test:start" || type === "test:plan";
}

function isSkipped({ skip = false }: { readonly skip?: string | boolean }): boolean {
  return skip !== false;
}

/** Counts tests, and shows the counts. */
class Counts {
  readonly #isTerminal: boolean;
  readonly #begunAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  #isShown = false;

  constructor(isTerminal: boolean) {
    this.#isTerminal = isTerminal;
    this.#timer = setInterval(() => this.#show(), isTerminal ? REWRITTEN_MS : ADDED_MS).unref();
  }

  take({ type, data }: TestEvent): void {
    if (type === "test:fail") this.#failed += 1;
    else if (type !== "test:pass") return;
    else if (isSkipped(data)) this.#skipped += 1;
    else this.#passed += 1;
  }

  /** Makes room for other text. */
  clear(): void {
    if (this.#isTerminal && this.#isShown) process.stderr.write("\r\u001B[K");
    this.#isShown = false;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #show(): void {
    const seconds = Math.round((performance.now() - this.#begunAt) / 1_000);
    const line = `${seconds} s: ${this.#passed} passed, ${this.#failed} failed, ${this.#skipped} skipped`;
    process.stderr.write(this.#isTerminal ? `\r\u001B[K${line}` : `${line}\n`);
    this.#isShown = true;
  }
}
