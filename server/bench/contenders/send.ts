import { Senders, type SendTarget } from "../peers/senders.ts";
import { keepBusy, type Busy, type Span } from "../work.ts";

export interface SendInput {
  readonly targets: Readonly<Record<string, SendTarget>>;
  /** The name of the chosen target. */
  readonly target: string;
  readonly connections: number;
  /** By default that of asynchronous sends. */
  readonly path?: string;
}

/** Sends over this many connections, each of which waits for its answer. */
export async function work(input: SendInput, span: Span): Promise<Busy> {
  const { targets, target, connections, path = "/api/v1/notify-async" } = input;
  const chosen = targets[target];
  if (chosen === undefined) throw new Error(`There is no ${target}.`);
  const senders = await Senders.connect(chosen, { connections, path });
  const watched = { inFlight: connections, span, pid: chosen.pid };
  const busy = await keepBusy(watched, (place) => senders.send(place));
  senders.close();
  return busy;
}
