import { connect, sensitiveHeaders } from "node:http2";
import { once } from "node:events";
import { NEVER_INDEXED, createNextPush } from "../support/sample-push.ts";
import type { PushService } from "../support/serve-push-service.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

const STREAM_COUNT = 500;

/** Sends the sample pushes through `node:http2` and nothing else. */
export async function measureRound(
  { origin, ca }: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const session = connect(origin, { ca, settings: { enablePush: false } });
  await once(session, "remoteSettings");
  const figures = await measureThroughput({ concurrency: STREAM_COUNT, durations }, async () => {
    const { path, headers, body } = createNextPush();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      ...headers,
      "content-length": String(body.length),
      [sensitiveHeaders]: [...NEVER_INDEXED],
    });
    stream.on("response", ({ ":status": status }) => {
      if (status !== 200) reject(new Error(`A push was answered with ${status}.`));
    });
    stream.on("error", reject);
    stream.on("close", resolve);
    stream.resume();
    stream.end(body);
    await promise;
  });
  session.close();
  return figures;
}
