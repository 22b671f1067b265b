import assert from "node:assert/strict";
import { createHeaders } from "#providers/apns/headers.ts";
import { buildPayload as buildApnsPayload } from "#providers/apns/payload.ts";
import { buildRequest } from "#providers/fcm/message.ts";
import type { Message } from "#providers/provider.ts";
import { buildPayload as buildBrowserPayload } from "#providers/webpush/payload.ts";
import { checkPayload } from "../doubles/apns/apns-payload-rules.ts";
import { findDeclarativeFault } from "../doubles/find-declarative-fault.ts";
import { validateMessage } from "../doubles/fcm/fcm-message-rules.ts";

const token = `dQw4w9WgXcQ_-abcDEF123:APA91b${"x".repeat(134)}`;
const address = { provider: "fcm", kind: "token", token } as const;
const baseUrl = "https://tocsin.example.com";

/** The values in each service's push that depend on the urgency of a message; undefined if the push lacks them. */
export interface Urgency {
  readonly apns: readonly [
    level: string,
    relevance: 1 | undefined,
    sound: string | undefined,
    priority: string | undefined,
    renotify: 1 | undefined,
    header: string,
  ];
  readonly fcm: readonly [
    androidPriority: string,
    sound: string | undefined,
    priority: string | undefined,
    renotify: "1" | undefined,
  ];
  readonly webpush: readonly [
    silent: boolean,
    requireInteraction: true | undefined,
    sound: string | null,
    renotify: 1 | undefined,
  ];
}

/** Builds the pushes of a message, and returns their urgency. Fails if a push service would refuse one of them. */
export function buildUrgency(message: Message): Urgency {
  return { apns: buildApns(message), fcm: buildFcm(message), webpush: buildWebPush(message) };
}

function buildApns(message: Message): Urgency["apns"] {
  const payload = buildApnsPayload(message) ?? assert.fail();
  assert.equal(checkPayload(payload, "alert"), null);
  const { aps, priority, renotify } = JSON.parse(payload.toString());
  const headers = createHeaders({
    message,
    deviceToken: "00fc",
    topic: "org.example.app",
    authorization: "bearer a.b.c",
    now: 0,
  });
  const level = aps["interruption-level"];
  const relevance = aps["relevance-score"];
  return [level, relevance, aps.sound, priority, renotify, headers["apns-priority"] ?? ""];
}

function buildFcm(message: Message): Urgency["fcm"] {
  const request = buildRequest({ message, address, now: message.createdAt }) ?? assert.fail();
  const verdict = validateMessage(JSON.stringify(request), "application/json");
  assert.equal(verdict.kind, "well-formed");
  const { priority, data } = request.message.android;
  return [priority, data.sound, data.priority, data.renotify];
}

function buildWebPush(message: Message): Urgency["webpush"] {
  const text = buildBrowserPayload({ message, baseUrl })?.toString() ?? "";
  assert.equal(findDeclarativeFault(text), null);
  const { silent, requireInteraction, data } = JSON.parse(text).notification;
  return [silent, requireInteraction, data.sound, data.renotify];
}
