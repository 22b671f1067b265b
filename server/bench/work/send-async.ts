import { HttpCaller, postOf } from "../peers/http-caller.ts";
import { SAMPLE } from "../peers/sample.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

export interface SendAsyncInput {
  readonly targets: Readonly<Record<string, { readonly url: string; readonly pid: number }>>;
  /** Which of them is asked. */
  readonly target: string;
  /** Used in turn. */
  readonly keys: readonly string[];
  readonly connections: number;
}

/** Sends asynchronously over so many connections, each of which waits for its answer. */
export async function work(input: SendAsyncInput, span: Span): Promise<Busy> {
  const { targets, target, keys, connections } = input;
  const { url, pid } = targets[target] ?? raise(`There is no ${target}.`);
  const callers = await Promise.all(
    Array.from({ length: connections }, () => HttpCaller.connect(url)),
  );
  const requests = keys.map((key) =>
    postOf(url, { path: "/api/v1/notify-async", headers: { "x-api-key": key }, body: SAMPLE }),
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
