import type { IncomingHttpHeaders } from "node:http";
import { isP256Point } from "./is-p256-point.ts";
import { createRefusal, type Refusal } from "./push-refusal.ts";
import { checkVapid } from "./vapid-rules.ts";

/** A received request and its subscription's key. */
export interface PushRequest {
  readonly method: string;
  /** Scheme and authority of the sender's request. */
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

/** The result of the validation of a request. */
export type Verdict = Accepted | Refusal;

/** The body size that a push service must accept at least (RFC 8030 section 7.2). */
const BODY_MAX_BYTES = 4_096;

/** Validates a request as the strictest real push service would. */
export function validatePush(request: PushRequest): Verdict {
  const { headers, body, applicationServerKey, origin, nowMs } = request;
  const { authorization } = headers;
  return (
    checkMethod(request.method) ??
    checkVapid({ authorization, applicationServerKey, origin, nowMs }) ??
    checkTtl(joinHeader(headers["ttl"])) ??
    checkUrgency(joinHeader(headers["urgency"])) ??
    checkTopic(joinHeader(headers["topic"])) ??
    checkEncoding(headers["content-encoding"]) ??
    checkBody(body) ?? {
      kind: "accepted",
      ttlSeconds: Number(headers["ttl"]),
      urgency: joinHeader(headers["urgency"]) ?? "normal",
      topic: joinHeader(headers["topic"]) ?? null,
    }
  );
}

/** Joins a repeated header with a comma, which no rule accepts. */
function joinHeader(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(",") : value;
}

function checkMethod(method: string): Refusal | null {
  return method === "POST" ? null : createRefusal(405, 0, "Only POST is allowed.");
}

/** Checks the TTL (RFC 8030 section 5.2). */
function checkTtl(ttl: string | undefined): Refusal | null {
  if (ttl === undefined) return createRefusal(400, 111, "TTL is missing.");
  return /^\d{1,10}$/u.test(ttl)
    ? null
    : createRefusal(400, 112, "TTL is not a number of seconds.");
}

/** Checks the urgency (RFC 8030 section 5.3). */
function checkUrgency(urgency: string | undefined): Refusal | null {
  if (urgency === undefined || /^(?:very-low|low|normal|high)$/u.test(urgency)) return null;
  return createRefusal(400, 111, "Urgency is not very-low, low, normal or high.");
}

/**
 * Checks the topic (RFC 8030 section 5.4). Apple also decodes the topic, and no base64url text has a length of 1 modulo
 * 4.
 */
function checkTopic(topic: string | undefined): Refusal | null {
  if (topic === undefined) return null;
  if (!/^[\w-]{1,32}$/u.test(topic))
    return createRefusal(400, 113, "Topic is not 1 to 32 base64url characters.");
  return topic.length % 4 === 1 ? createRefusal(400, 113, "Topic cannot be decoded.") : null;
}

function checkEncoding(encoding: string | undefined): Refusal | null {
  if (encoding === "aes128gcm") return null;
  return createRefusal(400, 110, "Content-Encoding is not aes128gcm.");
}

/** Offsets in the header: a salt, the record size, the length of the sender's key, and the key. */
const RECORD_SIZE_OFFSET = 16;
const KEY_LENGTH_OFFSET = 20;
const KEY_OFFSET = 21;
/** An uncompressed point. */
const KEY_BYTES = 65;
const HEADER_BYTES = KEY_OFFSET + KEY_BYTES;
/** The ciphertext of an empty text: a delimiter and the authentication tag. */
const CIPHERTEXT_MIN_BYTES = 17;

/**
 * Checks the body (RFC 8188 section 2.1, limited by RFC 8291 section 4): one record, with a P-256 point as the key id.
 */
function checkBody(body: Buffer): Refusal | null {
  if (body.length > BODY_MAX_BYTES) return createRefusal(413, 104, "The body exceeds 4096 bytes.");
  const ciphertextBytes = body.length - HEADER_BYTES;
  if (ciphertextBytes < CIPHERTEXT_MIN_BYTES)
    return createRefusal(400, 110, "The body is too short.");
  if (body.readUInt8(KEY_LENGTH_OFFSET) !== KEY_BYTES)
    return createRefusal(400, 110, "idlen is not 65.");
  if (!isP256Point(body.subarray(KEY_OFFSET, HEADER_BYTES))) {
    return createRefusal(400, 110, "The sender's key is not a P-256 point.");
  }
  if (body.readUInt32BE(RECORD_SIZE_OFFSET) <= ciphertextBytes) {
    return createRefusal(400, 110, "rs does not exceed the record.");
  }
  return null;
}
