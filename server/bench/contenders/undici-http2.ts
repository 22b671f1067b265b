import { Client } from "undici";
import { createNextPush } from "../support/sample-push.ts";
import type { PushService } from "../support/serve-push-service.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

const STREAM_COUNT = 500;

/** Sends the sample pushes through undici over one connection. */
export async function measureRound(
  { origin, ca }: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const client = new Client(origin, {
    allowH2: true,
    connect: { ca },
    maxConcurrentStreams: STREAM_COUNT,
    pipelining: STREAM_COUNT,
  });
  const figures = await measureThroughput({ concurrency: STREAM_COUNT, durations }, async () => {
    const { path, headers, body } = createNextPush();
    const response = await client.request({ method: "POST", path, headers: { ...headers }, body });
    if (response.statusCode !== 200)
      throw new Error(`A push was answered with ${response.statusCode}.`);
    await response.body.dump();
  });
  await client.close();
  return figures;
}
