import { hash } from "node:crypto";
import type { Address } from "#providers/provider.ts";
import { invalidField, type AppError } from "#errors.ts";

/** A push address as an app sends it, unchecked. */
export interface PushInput {
  readonly provider: Address["provider"];
  readonly token?: string;
  readonly environment?: "production" | "sandbox";
  readonly endpoint?: string;
  readonly keys?: { readonly p256dh: string; readonly auth: string };
}

/** The check of a browser's push subscription; on failure, it returns the invalid field and a message. */
export type CheckWebPushAddress = (subscription: {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}) =>
  | { readonly ok: true }
  | { readonly ok: false; readonly field: string; readonly message: string };

/** Apple does not fix the length. Device tokens now have 64 digits, simulator tokens 160. */
const APNS_TOKEN_PATTERN = /^(?:[0-9a-f]{2}){8,200}$/;
const FCM_TOKEN_PATTERN = /^[\x21-\x7e]{1,4096}$/;
/** A Firebase installation id: 132 bits in base64url, the first four of them 0111. A token is much longer. */
const FCM_INSTALLATION_ID_PATTERN = /^[cdef][\w-]{21}$/;

/**
 * Returns the address to store; throws `invalid_field` for an address that no push service can have issued, and for a
 * connected app, which has no push address.
 */
export function parseAddress(check: CheckWebPushAddress, push: PushInput): Address {
  switch (push.provider) {
    case "apns":
      return parseApns(push);
    case "fcm":
      return parseFcm(push);
    case "webpush":
      return parseWebPush(check, push);
    case "stream":
      throw createInvalidPushFieldError(
        "provider",
        "must be webpush, apns or fcm. An app such as ntfy or Gotify has no push address: add it with Add a phone under Devices in the console.",
      );
  }
}

/**
 * Returns the SHA-256 of the provider with its token, endpoint or device, hexadecimal. Equal hashes mean
 * the same address, whatever its environment or its subscription keys.
 */
export function hashAddress(address: Address): string {
  return hash("sha256", `${address.provider}:${getIdentity(address)}`, "hex");
}

function getIdentity(address: Address): string {
  switch (address.provider) {
    case "webpush":
      return address.endpoint;
    case "stream":
      return address.deviceId;
    case "apns":
    case "fcm":
      return address.token;
  }
}

/** Returns the host of a Web Push endpoint; null for the other providers. */
export function getEndpointHost(address: Address): string | null {
  return address.provider === "webpush" ? new URL(address.endpoint).host : null;
}

function parseApns({ token = "", environment = "production" }: PushInput): Address {
  const lowerCaseToken = token.toLowerCase();
  if (!APNS_TOKEN_PATTERN.test(lowerCaseToken)) {
    throw createInvalidPushFieldError(
      "token",
      "must be an Apple device token: 16 to 400 hexadecimal digits, in pairs.",
    );
  }
  return { provider: "apns", token: lowerCaseToken, environment };
}

function parseFcm({ token = "" }: PushInput): Address {
  if (!FCM_TOKEN_PATTERN.test(token)) {
    throw createInvalidPushFieldError(
      "token",
      "must be a Firebase registration token or installation id: 1 to 4096 visible characters.",
    );
  }
  return {
    provider: "fcm",
    kind: FCM_INSTALLATION_ID_PATTERN.test(token) ? "fid" : "token",
    token,
  };
}

function parseWebPush(check: CheckWebPushAddress, { endpoint, keys }: PushInput): Address {
  if (endpoint === undefined || !URL.canParse(endpoint)) {
    throw createInvalidPushFieldError(
      "endpoint",
      "must be the URL of a browser's push subscription.",
    );
  }
  if (keys === undefined)
    throw createInvalidPushFieldError("keys", "must be the keys of a browser's push subscription.");
  const verdict = check({ endpoint, keys });
  if (!verdict.ok) throw invalidField(`push.${verdict.field}`, verdict.message);
  const { p256dh, auth } = keys;
  // Normalised, so that every spelling of an endpoint is the same device.
  return { provider: "webpush", endpoint: new URL(endpoint).href, keys: { p256dh, auth } };
}

function createInvalidPushFieldError(
  field: "provider" | "token" | "endpoint" | "keys",
  rule: string,
): AppError {
  return invalidField(`push.${field}`, `push.${field} ${rule}`);
}
