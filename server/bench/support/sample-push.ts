import { randomBytes, randomUUID } from "node:crypto";
import { createRoundRobin } from "./round-robin.ts";
import { APNS_TOPIC } from "./sender-credentials.ts";
import { COLLAPSE_ID, EXPIRES_AT_S, SAMPLE } from "./sample.ts";

/** A push to an iPhone: the headers of "Sending notification requests to APNs", and a small payload. */
export interface SamplePush {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const AUTHORIZATION = `bearer ${randomBytes(120).toString("base64url")}`;
const EXPIRATION = String(EXPIRES_AT_S);
const DEVICE_COUNT = 10_000;
const body = Buffer.from(
  JSON.stringify({
    aps: {
      alert: { title: SAMPLE.title, body: SAMPLE.body },
      sound: "default",
      "thread-id": SAMPLE.channel,
      "interruption-level": "time-sensitive",
    },
    link: SAMPLE.link,
  }),
);
const nextDevice = createRoundRobin(
  Array.from({ length: DEVICE_COUNT }, () => ({
    path: `/3/device/${randomBytes(32).toString("hex")}`,
    id: randomUUID(),
  })),
);

/** Headers with secrets and unique values, which are excluded from compression. */
export const NEVER_INDEXED = [":path", "authorization", "apns-id"] as const;

/** Returns the push of one notification to the next of ten thousand devices. Only the path and `apns-id` differ. */
export function createNextPush(): SamplePush {
  const { path, id } = nextDevice();
  return {
    path,
    headers: {
      authorization: AUTHORIZATION,
      "apns-id": id,
      "apns-topic": APNS_TOPIC,
      "apns-push-type": "alert",
      "apns-priority": "10",
      "apns-expiration": EXPIRATION,
      "apns-collapse-id": COLLAPSE_ID,
    },
    body,
  };
}
