import { HttpCaller, postOf } from "../peers/http-caller.ts";
import { SAMPLE } from "../peers/sample.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

export interface SendInput {
  readonly targets: Readonly<Record<string, SendTarget>>;
  /** Which of them is asked. */
  readonly target: string;
  readonly connections: number;
  /** That of asynchronous sends if not given. */
  readonly path?: string;
}

export interface SendTarget {
  readonly url: string;
  readonly pid: number;
  /** Used in turn. */
  readonly keys: readonly string[];
}

/** Sends over so many connections, each of which waits for its answer. */
export async function work(input: SendInput, span: Span): Promise<Busy> {
  const { targets, target, connections, path = "/api/v1/notify-async" } = input;
  const { url, pid, keys } = targets[target] ?? raise(`There is no ${target}.`);
  const callers = await Promise.all(
    Array.from({ length: connections }, () => HttpCaller.connect(url)),
  );
  const requests = keys.map((key) =>
    postOf(url, { path, headers: { "x-api-key": key }, body: SAMPLE }),
  );
  let next = 0;
  const busy = await keepBusy({ inFlight: connections, span, pid }, async (place) => {
    const request = requests[(next = (next + 1) % requests.length)];
    const caller = callers[place];
    if (caller === undefined || request === undefined) return raise("Nobody is there to ask.");
    const { status, body } = await caller.ask(request);
    if (status !== 200 || !body.includes('"success":true')) throw new Error(`${status} ${body}`);
  });
  for (const caller of callers) caller.close();
  return busy;
}

function raise(message: string): never {
  throw new Error(message);
}
