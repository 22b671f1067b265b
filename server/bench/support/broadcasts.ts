import type { Round } from "../case.ts";
import { readCpuUs } from "../process-figures.ts";
import { computeMedian } from "../report/evaluate.ts";
import type { WebSocketApps } from "./web-socket-apps.ts";

/** Broadcasts after the first one, which runs code that is not compiled yet. */
const WARM_BROADCASTS = 3;

/** The server's process, its apps and their number, and a function that resolves once all have answered a message. */
export interface BroadcastInput {
  readonly pid: number;
  readonly apps: WebSocketApps;
  readonly appCount: number;
  readonly broadcast: () => Promise<void>;
}

/** Sends messages to all apps, one after the other, and measures each until all have answered. */
export async function measureBroadcasts({
  pid,
  apps,
  appCount,
  broadcast,
}: BroadcastInput): Promise<Round> {
  const measureOne = async (): Promise<number> => {
    const startedAt = performance.now();
    await broadcast();
    return performance.now() - startedAt;
  };
  const firstMs = await measureOne();
  const cpuUsBefore = readCpuUs(pid);
  const times: number[] = [];
  while (times.length < WARM_BROADCASTS) times.push(await measureOne());
  const cpuUs = (readCpuUs(pid) - cpuUsBefore) / (WARM_BROADCASTS * appCount);
  apps.requireMessages(1 + WARM_BROADCASTS);
  return { answeredMs: computeMedian(times), firstMs, cpuUs };
}
