import { Senders, type PeerTarget, type SendTarget } from "../support/senders.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

/** The possible targets, the chosen one, and the connections to it. */
export interface SendInput {
  readonly targets: Readonly<Record<string, SendTarget | PeerTarget>>;
  /** The name of the chosen target. */
  readonly target: string;
  readonly connections: number;
  /** The path at our server: that of asynchronous sends by default. */
  readonly path?: string;
}

/** Sends over several connections, each of which waits for its response. */
export async function measureRound(
  input: SendInput,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const { targets, target, connections, path = "/api/v1/notify-async" } = input;
  const sendTarget = targets[target];
  if (sendTarget === undefined) throw new Error(`There is no ${target}.`);
  const senders = await Senders.connect(sendTarget, { connections, path });
  const options = { concurrency: connections, durations, pid: sendTarget.pid };
  const figures = await measureThroughput(options, (connection) => senders.send(connection));
  senders.close();
  return figures;
}
