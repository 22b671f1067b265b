// The compiler is the test: this file does not compile if our types differ from Google's.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { fcm_v1 as google } from "@googleapis/fcm";
import type { AndroidConfig, FidMessage, TokenMessage } from "firebase-admin/messaging";
import { buildRequest, type FcmMessage, type FcmRequest } from "#providers/fcm/message.ts";
import type { FcmAddress } from "#providers/provider.ts";
import { createPushMessage } from "../../support/push-message.ts";
import { validateMessage } from "./fcm-message-rules.ts";
import { FcmRegistration } from "./fcm-registration.ts";
import type {
  ANDROID_FIELDS,
  ANDROID_NOTIFICATION_FIELDS,
  MESSAGE_FIELDS,
  REQUEST_FIELDS,
} from "./fcm-schema.ts";

/** Compiles only if every member of `Part` is in `Whole`. */
type Within<Part extends Whole, Whole> = Part;

/** Google knows all our names. `fid` is newer than `@googleapis/fcm` and occurs in firebase-admin. */
export type OwnNamesAreKnown = [
  Within<keyof FcmRequest, keyof google.Schema$SendMessageRequest>,
  Within<Exclude<KeysOf<FcmMessage>, "fid">, keyof google.Schema$Message>,
  Within<KeysOf<FcmMessage>, keyof FidMessage | keyof TokenMessage>,
  Within<keyof FcmMessage["android"], keyof google.Schema$AndroidConfig>,
  Within<keyof FcmMessage["android"], keyof AndroidConfig>,
];

/** The double's schema has every name that Google publishes. */
export type SchemaIsComplete = [
  Within<keyof google.Schema$SendMessageRequest, keyof typeof REQUEST_FIELDS>,
  Within<keyof google.Schema$Message, keyof typeof MESSAGE_FIELDS>,
  Within<keyof google.Schema$AndroidConfig, keyof typeof ANDROID_FIELDS>,
  Within<keyof google.Schema$AndroidNotification, keyof typeof ANDROID_NOTIFICATION_FIELDS>,
];

/** The double's schema has no other names. */
export type SchemaHasNoUnknownNames = [
  Within<Exclude<keyof typeof MESSAGE_FIELDS, "fid">, keyof google.Schema$Message>,
  Within<
    keyof typeof ANDROID_FIELDS,
    keyof google.Schema$AndroidConfig | Extract<keyof AndroidConfig, "restrictedSatelliteOk">
  >,
  Within<keyof typeof ANDROID_NOTIFICATION_FIELDS, keyof google.Schema$AndroidNotification>,
];

type KeysOf<Union> = Union extends unknown ? keyof Union : never;

const MESSAGE = createPushMessage({
  title: "Füße 🦊",
  body: "Two lines\nof text",
  sound: "arcade",
  channel: "deploys",
  link: "https://example.org/",
  image: "https://example.org/i.png",
  timeSensitive: true,
  createdAt: 1_000_000,
  expiresAt: 61_000_000,
});

test("the provider's request has Google's types and is valid for the double", () => {
  const { token, fid } = new FcmRegistration({ projectId: "p", deliver: () => undefined });
  const addresses: readonly FcmAddress[] = [
    { provider: "fcm", kind: "token", token },
    { provider: "fcm", kind: "fid", token: fid },
  ];
  for (const address of addresses) {
    const ownRequest = buildRequest({ message: MESSAGE, address, now: 1_000_000 });
    assert.ok(ownRequest !== null);
    const googleRequest: google.Schema$SendMessageRequest = ownRequest;
    const { data, priority } = ownRequest.message.android;
    const googleFields: Required<Pick<AndroidConfig, "data">> = { data };
    const googlePriority: Uppercase<NonNullable<AndroidConfig["priority"]>> = priority;
    const target: Pick<TokenMessage, "token"> | Pick<FidMessage, "fid"> = ownRequest.message;
    assert.ok(address.token === ("fid" in target ? target.fid : target.token));
    const verdict = validateMessage(JSON.stringify(googleRequest), "application/json");
    assert.ok(verdict.kind === "well-formed", JSON.stringify(verdict));
    assert.deepEqual(verdict.target, { kind: address.kind, value: address.token });
    assert.deepEqual(verdict.message, {
      data: googleFields.data,
      priority: googlePriority,
      ttlSeconds: 60_000,
      collapseKey: null,
      notification: null,
    });
  }
});

test("the largest message that the provider builds is not too big for the double", () => {
  const { token } = new FcmRegistration({ projectId: "p", deliver: () => undefined });
  const address: FcmAddress = { provider: "fcm", kind: "token", token };
  for (const body of ["x".repeat(9_000), "ü".repeat(9_000), "🦊".repeat(9_000)]) {
    const built = buildRequest({ message: { ...MESSAGE, body }, address, now: 1_000_000 });
    assert.equal(validateMessage(JSON.stringify(built), "application/json").kind, "well-formed");
  }
});
