import { createHttp2Client } from "#providers/http2/client.ts";
import { NEVER_INDEXED, createNextPush } from "../support/sample-push.ts";
import type { PushService } from "../support/serve-push-service.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

/** Number of pushes in flight on the one connection: the stream limit of the APNs provider. */
const STREAM_COUNT = 500;

/** Sends the sample pushes through the providers' HTTP/2 client. */
export async function measureRound(
  service: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const client = createHttp2Client({
    ...service,
    connectionsMax: 1,
    streamsMax: STREAM_COUNT,
    elapsed: () => performance.now(),
    random: Math.random,
  });
  // All requests share one signal, as they do when one notification goes to many devices.
  const { signal } = new AbortController();
  const figures = await measureThroughput({ concurrency: STREAM_COUNT, durations }, async () => {
    const exchange = await client.request({
      ...createNextPush(),
      neverIndexed: NEVER_INDEXED,
      signal,
    });
    const result = exchange.kind === "answered" ? exchange.response.status : exchange.kind;
    if (result !== 200) throw new Error(`A push was not accepted: ${result}.`);
  });
  await client.close();
  return figures;
}
