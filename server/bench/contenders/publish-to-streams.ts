import type { Round } from "../case.ts";
import { HttpCaller } from "../peers/http-caller.ts";
import { encodeSend, sendRequest } from "../peers/senders.ts";
import { StreamReader } from "../peers/stream-reader.ts";
import { readCpuUs } from "../process-figures.ts";
import { computeMedian } from "../report/evaluate.ts";
import type { MeasurementDurations } from "../work.ts";

const PAUSE_MS = 50;

/** The server, a key whose notifications all readers see, and the access tokens of the readers. */
export interface PublishInput {
  readonly url: string;
  readonly pid: number;
  readonly key: string;
  readonly accessTokens: readonly string[];
  readonly streamsPerToken: number;
}

/** Sends one notification after the other, each once all open streams have the previous one. */
export async function runWork(
  { url, pid, key, accessTokens, streamsPerToken }: PublishInput,
  { warmUpMs, measuredMs }: MeasurementDurations,
): Promise<Round> {
  const readers: StreamReader[] = [];
  for (const accessToken of accessTokens) {
    const streams = Array.from({ length: streamsPerToken }, () =>
      StreamReader.open(url, accessToken),
    );
    readers.push(...(await Promise.all(streams)));
  }
  const caller = await HttpCaller.connect(url);
  const send = encodeSend(url, { path: "/api/v1/notify-async", key });
  const publishFor = async (durationMs: number): Promise<readonly number[]> => {
    const lastsMs: number[] = [];
    const endsAt = performance.now() + durationMs;
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      await Promise.all([
        sendRequest(caller, send),
        ...readers.map((reader) => reader.waitForNext()),
      ]);
      lastsMs.push(performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return lastsMs;
  };
  await publishFor(warmUpMs);
  const beforeUs = readCpuUs(pid);
  const lastsMs = await publishFor(measuredMs);
  const cpuUs = (readCpuUs(pid) - beforeUs) / (lastsMs.length * readers.length);
  caller.close();
  for (const reader of readers) reader.close();
  return { lastMs: computeMedian(lastsMs), cpuUs };
}
