import { Senders, type SendTarget } from "../peers/senders.ts";
import { keepBusy, type WorkFigures, type Duration } from "../work.ts";

export interface SendInput {
  readonly targets: Readonly<Record<string, SendTarget>>;
  /** The name of the chosen target. */
  readonly target: string;
  readonly connections: number;
  /** The path of asynchronous sends by default. */
  readonly path?: string;
}

/** Sends over this many connections, each of which waits for its response. */
export async function work(input: SendInput, duration: Duration): Promise<WorkFigures> {
  const { targets, target, connections, path = "/api/v1/notify-async" } = input;
  const sendTarget = targets[target];
  if (sendTarget === undefined) throw new Error(`There is no ${target}.`);
  const senders = await Senders.connect(sendTarget, { connections, path });
  const options = { inFlight: connections, duration, pid: sendTarget.pid };
  const busy = await keepBusy(options, (connection) => senders.send(connection));
  senders.close();
  return busy;
}
