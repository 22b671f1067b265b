import { ApnsClient, Notification, PushType } from "apns2";
import { Pool } from "undici";
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

/** Sends the sample notification through `apns2`. */
export async function measureRound(
  { origin, ca }: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const { privateKey: signingKey, keyId, teamId: team, topic: defaultTopic } = generateApnsSender();
  const client = new ApnsClient({ team, keyId, signingKey, defaultTopic });
  await client.client.close();
  // The package fixes port 443 and trusts only public certificates; everything else of its pool is unchanged.
  const pool = new Pool(origin, {
    connect: { ca },
    connections: 32,
    pipelining: 1,
    allowH2: true,
    maxConcurrentStreams: 100,
  });
  Object.assign(client, { client: pool });
  const figures = await measureThroughput({ concurrency: CONCURRENCY, durations }, async () => {
    await client.send(
      new Notification(nextToken(), {
        type: PushType.alert,
        alert: { title: SAMPLE.title, body: SAMPLE.body },
        sound: "default",
        expiration: EXPIRES_AT_S,
        collapseId: COLLAPSE_ID,
        data: { link: SAMPLE.link },
      }),
    );
  });
  await client.destroy();
  return figures;
}
