import type { Round } from "../case.ts";
import { HttpCaller, encodePost } from "../support/http-caller.ts";
import { sendRequest } from "../support/senders.ts";
import { StreamReader, type StreamsTarget } from "../support/stream-reader.ts";
import { readCpuUs } from "../process-figures.ts";
import { computeMedian } from "../report/evaluate.ts";
import type { MeasurementDurations } from "../measure-throughput.ts";

const PAUSE_MS = 50;

/** The streams of each server. */
export interface PublishInput {
  readonly streamsOf: Readonly<Record<string, StreamsTarget>>;
  /** The name of the chosen server. */
  readonly target: string;
}

/** Sends one notification after the other, each once all open streams have the previous one. */
export async function measureRound(
  { streamsOf, target: name }: PublishInput,
  { warmUpMs, measuredMs }: MeasurementDurations,
): Promise<Round> {
  const chosen = streamsOf[name];
  if (chosen === undefined) throw new Error(`There are no streams of ${name}.`);
  const { url, pid, acceptedText } = chosen.target;
  const readers = await openAll(chosen);
  const caller = await HttpCaller.connect(url);
  const [request] = chosen.target.requests.map((post) => encodePost(url, post));
  if (request === undefined) throw new Error(`There is no request to ${name}.`);
  const publishFor = async (durationMs: number): Promise<readonly number[]> => {
    const lastTimesMs: number[] = [];
    const endsAt = performance.now() + durationMs;
    while (performance.now() < endsAt) {
      // A server may register a reader shortly after it has opened the stream.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const startedAt = performance.now();
      await Promise.all([
        sendRequest(caller, request, acceptedText),
        ...readers.map((reader) => reader.waitForNext()),
      ]);
      lastTimesMs.push(performance.now() - startedAt);
    }
    return lastTimesMs;
  };
  await publishFor(warmUpMs);
  const cpuUsBefore = readCpuUs(pid);
  const lastTimesMs = await publishFor(measuredMs);
  const cpuUs = (readCpuUs(pid) - cpuUsBefore) / (lastTimesMs.length * readers.length);
  caller.close();
  for (const reader of readers) reader.close();
  return { lastMs: computeMedian(lastTimesMs), cpuUs };
}

/** The number of streams that are opened at a time. */
const OPENING_MAX = 20;

async function openAll({
  target,
  streams,
  ...protocol
}: StreamsTarget): Promise<readonly StreamReader[]> {
  const readers: StreamReader[] = [];
  for (let start = 0; start < streams.length; start += OPENING_MAX) {
    const batch = streams.slice(start, start + OPENING_MAX);
    const opening = batch.map((stream) => StreamReader.open(target.url, stream, protocol));
    readers.push(...(await Promise.all(opening)));
  }
  return readers;
}
