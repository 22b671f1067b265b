import tls, { type ConnectionOptions, type TLSSocket } from "node:tls";
import { deleteApp, initializeApp } from "firebase-admin/app";
import { getMessaging } from "firebase-admin/messaging";
import { nextToken } from "../support/sample-message.ts";
import { SAMPLE } from "../support/sample.ts";
import type { PushService } from "../support/serve-push-service.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

/** The largest batch of one call. */
const BATCH_SIZE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;

const getAccessToken = async () => ({ access_token: "a token", expires_in: 3_600 });

/** Sends the sample notification through `firebase-admin`, which sends batches over HTTP/2. */
export async function measureRound(
  { origin, ca }: PushService,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  redirectTls(origin, ca);
  const app = initializeApp({ credential: { getAccessToken }, projectId: "bench" });
  const messaging = getMessaging(app);
  const figures = await measureThroughput(
    { concurrency: 1, batchSize: BATCH_SIZE, durations },
    async () => {
      const data = { title: SAMPLE.title, body: SAMPLE.body, link: SAMPLE.link };
      const android = { priority: "high", ttl: DAY_MS, data } as const;
      const messages = Array.from({ length: BATCH_SIZE }, () => ({ token: nextToken(), android }));
      const { failureCount, responses } = await messaging.sendEach(messages);
      if (failureCount > 0) throw new Error(`A push failed: ${String(responses[0]?.error)}.`);
    },
  );
  await deleteApp(app);
  return figures;
}

/** Redirects connections, because the package cannot be configured for another URL. */
function redirectTls(origin: string, ca: string): void {
  const connect = tls.connect;
  const port = Number(new URL(origin).port);
  const connectToDouble = (...args: readonly unknown[]): TLSSocket => {
    // `http2` passes port, host and options.
    const options = args.find((arg) => typeof arg === "object") as ConnectionOptions | undefined;
    return connect({ ...options, host: "127.0.0.1", port, ca, servername: "fcm.googleapis.com" });
  };
  Object.assign(tls, { connect: connectToDouble });
}
