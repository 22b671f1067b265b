import { createHmac, randomBytes } from "node:crypto";

const SECRET_PREFIX = "whsec_";
/** Standard Webhooks, "Signature scheme": 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** Returns a new secret in the form of Standard Webhooks: `whsec_` and the base64 of 32 random bytes. */
export function generateCallbackSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** A callback to sign. */
interface UnsignedCallback {
  readonly id: string;
  readonly body: string;
  /** The time of the attempt, in milliseconds since the epoch. */
  readonly sentAt: number;
}

/**
 * Returns the three headers of Standard Webhooks, "Webhook metadata", with a signature by every secret, because
 * during a rotation the receiver may know either of two.
 */
export function signCallback(
  { id, body, sentAt }: UnsignedCallback,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(sentAt / 1_000));
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
