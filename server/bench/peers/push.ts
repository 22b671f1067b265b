import { randomBytes, randomUUID } from "node:crypto";

/** What a push to an iPhone is made of: the headers of "Sending notification requests to APNs", and a small payload. */
export interface SamplePush {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const AUTHORIZATION = `bearer ${randomBytes(120).toString("base64url")}`;
const DEVICES = 10_000;
const paths = Array.from({ length: DEVICES }, () => `/3/device/${randomBytes(32).toString("hex")}`);
const ids = Array.from({ length: DEVICES }, () => randomUUID());
const body = Buffer.from(
  JSON.stringify({
    aps: {
      alert: {
        title: "Disk almost full",
        body: "/var on db-3 has 2 % left, and loses 1 % in an hour.",
      },
      sound: "default",
      "thread-id": "monitoring",
      "interruption-level": "time-sensitive",
    },
    link: "https://status.example.org/incidents/4711",
  }),
);
let next = 0;

/** What secrets and unique values are kept out of compression. */
export const NEVER_INDEXED = [":path", "authorization", "apns-id"] as const;

/** Returns the push to the next of ten thousand devices: one notification, whose headers differ in the device alone. */
export function nextPush(): SamplePush {
  next = (next + 1) % DEVICES;
  return {
    path: paths[next] ?? "",
    headers: {
      authorization: AUTHORIZATION,
      "apns-id": ids[next] ?? "",
      "apns-topic": "org.example.tocsin",
      "apns-push-type": "alert",
      "apns-priority": "10",
      "apns-expiration": "1795000000",
      "apns-collapse-id": "01JD4ZK3M1N8Q2R5T7V9X0Y2Z4",
    },
    body,
  };
}
