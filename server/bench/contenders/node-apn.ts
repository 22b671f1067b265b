import apn from "@parse/node-apn";
import { nextToken } from "../support/sample-message.ts";
import { generateApnsSender } from "../support/sender-credentials.ts";
import { COLLAPSE_ID, EXPIRES_AT_S, SAMPLE } from "../support/sample.ts";
import type { PushService } from "../support/serve-push-service.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

const CONCURRENCY = 500;

/** Sends the sample notification through `@parse/node-apn`. */
export async function measureRound(
  { origin, ca }: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const { privateKey: key, keyId, teamId, topic } = generateApnsSender();
  const { hostname, port } = new URL(origin);
  const provider = new apn.Provider({
    token: { key, keyId, teamId },
    address: hostname,
    port: Number(port),
    ca: [ca],
    production: true,
  });
  const notification = new apn.Notification({
    alert: { title: SAMPLE.title, body: SAMPLE.body },
    sound: "default",
    topic,
    pushType: "alert",
    priority: 10,
    expiry: EXPIRES_AT_S,
    collapseId: COLLAPSE_ID,
    payload: { link: SAMPLE.link },
  });
  const figures = await measureThroughput({ concurrency: CONCURRENCY, durations }, async () => {
    const { failed } = await provider.send(notification, nextToken());
    if (failed.length > 0) throw new Error(`A push failed: ${JSON.stringify(failed[0])}.`);
  });
  await provider.shutdown();
  return figures;
}
