import type { IncomingHttpHeaders } from "node:http";
import { isOnCurve } from "./curve.ts";
import { refuse } from "./refusal.ts";
import type { Refusal } from "./refusal.ts";
import { checkVapid } from "./vapid-rules.ts";

/** One request as it arrived, and the subscription that it named. */
export interface PushRequest {
  readonly method: string;
  /** Scheme and authority as the sender named them. */
  readonly origin: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly applicationServerKey: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A well-formed request to the push service. */
export interface Accepted {
  readonly kind: "accepted";
  readonly ttlSeconds: number;
  readonly urgency: string;
  readonly topic: string | null;
}

export type Verdict = Accepted | Refusal;

/** The most a push service need take, in bytes (RFC 8030 section 7.2). */
const MAX_BODY_BYTES = 4_096;

/** Judges one request as the strictest of the real push services would; it changes nothing. */
export function judge(request: PushRequest): Verdict {
  const { headers, body, applicationServerKey, origin, nowMs } = request;
  const { authorization } = headers;
  return (
    checkMethod(request.method) ??
    checkVapid({ authorization, applicationServerKey, origin, nowMs }) ??
    checkTtl(single(headers["ttl"])) ??
    checkUrgency(single(headers["urgency"])) ??
    checkTopic(single(headers["topic"])) ??
    checkEncoding(headers["content-encoding"]) ??
    checkBody(body) ?? {
      kind: "accepted",
      ttlSeconds: Number(headers["ttl"]),
      urgency: single(headers["urgency"]) ?? "normal",
      topic: single(headers["topic"]) ?? null,
    }
  );
}

/** A header sent twice arrives joined by a comma, which no rule below lets pass. */
function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(",") : value;
}

function checkMethod(method: string): Refusal | null {
  return method === "POST" ? null : refuse(405, 0, "Only POST is allowed.");
}

/** RFC 8030 section 5.2. */
function checkTtl(ttl: string | undefined): Refusal | null {
  if (ttl === undefined) return refuse(400, 111, "TTL is missing.");
  return /^\d{1,10}$/u.test(ttl) ? null : refuse(400, 112, "TTL is not a number of seconds.");
}

/** RFC 8030 section 5.3. */
function checkUrgency(urgency: string | undefined): Refusal | null {
  if (urgency === undefined || /^(?:very-low|low|normal|high)$/u.test(urgency)) return null;
  return refuse(400, 111, "Urgency is none of very-low, low, normal, high.");
}

/** RFC 8030 section 5.4; Apple decodes it too, and no base64url text has a length of 1 modulo 4. */
function checkTopic(topic: string | undefined): Refusal | null {
  if (topic === undefined) return null;
  if (!/^[\w-]{1,32}$/u.test(topic)) return refuse(400, 113, "Topic is not 1 to 32 base64url.");
  return topic.length % 4 === 1 ? refuse(400, 113, "Topic cannot be decoded.") : null;
}

function checkEncoding(encoding: string | undefined): Refusal | null {
  if (encoding === "aes128gcm") return null;
  return refuse(400, 110, "Content-Encoding is not aes128gcm.");
}

const HEADER_BYTES = 86;
/** A delimiter and the authentication tag: the ciphertext of no text at all. */
const LEAST_CIPHERTEXT_BYTES = 17;

/** RFC 8188 section 2.1 as RFC 8291 section 4 narrows it: one record, a P-256 point as the key id. */
function checkBody(body: Buffer): Refusal | null {
  if (body.length > MAX_BODY_BYTES) return refuse(413, 104, "The body exceeds 4096 bytes.");
  const ciphertextBytes = body.length - HEADER_BYTES;
  if (ciphertextBytes < LEAST_CIPHERTEXT_BYTES) return refuse(400, 110, "The body is too short.");
  if (body.readUInt8(20) !== 65) return refuse(400, 110, "idlen is not 65.");
  if (!isOnCurve(body.subarray(21, HEADER_BYTES))) {
    return refuse(400, 110, "The sender's key is not a P-256 point.");
  }
  if (body.readUInt32BE(16) <= ciphertextBytes) {
    return refuse(400, 110, "rs does not exceed the record.");
  }
  return null;
}
