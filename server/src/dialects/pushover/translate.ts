import { INTERACTION_LIMITS, LIMITS, type Priority } from "@tocsin/sdk";
import type { InteractionFields } from "#notifications/interaction-fields.ts";
import type { ParsedHeaders, SendParameters } from "#notifications/request.ts";
import type { DialectSender } from "../dialect.ts";
import { createDraft } from "../draft.ts";
import { encodeExtras } from "../extras.ts";
import { toPlainText } from "./html.ts";
import type { PushoverMessage } from "./message.ts";

/** Our priorities for Pushover's, from -2 to 2. */
const PRIORITIES = ["low", "low", "normal", "high", "emergency"] as const;
/** The difference between Pushover's priorities and ntfy's, which count from 1. */
const LEVEL_OFFSET = 3;

/** Returns the send of a message. Without a title, it gets the label of the key, as Pushover uses the name of the application. */
export function translatePushoverMessage(
  message: PushoverMessage,
  { label, channel }: Pick<DialectSender, "label" | "channel">,
  headers: ParsedHeaders,
): SendParameters {
  const { text, title, url, isHtml, ttl, rounds } = message;
  const level = message.priority + LEVEL_OFFSET;
  const priority: Priority = PRIORITIES[level - 1] ?? "normal";
  const draft = createDraft({
    title: title.trim() === "" ? (label ?? "") : title,
    body: isHtml ? toPlainText(text) : text,
    channel,
    link: url,
    priority,
    timeSensitive: message.priority >= 1,
    markdown: false,
  });
  return {
    draft,
    extras: message.priority === 0 ? null : encodeExtras({ priority: level }),
    interaction: rounds === null ? null : createEmergency(rounds),
    ignoredFields: [],
    ttlSeconds: ttl === null || ttl < 1 ? headers.ttlSeconds : clampTtl(ttl),
    idempotencyKey: headers.idempotencyKey,
  };
}

function clampTtl(seconds: number): number {
  return clamp(seconds, { min: LIMITS.ttlSecondsMin, max: LIMITS.ttlSecondsMax });
}

function clamp(value: number, { min, max }: { readonly min: number; readonly max: number }) {
  return Math.min(Math.max(value, min), max);
}

/**
 * Returns an incident of its own for a message of priority 2. It rings until the message expires, more rarely than asked if
 * there would be too many rounds: Uptime Kuma asks for 120.
 */
function createEmergency({
  retry,
  expire,
}: NonNullable<PushoverMessage["rounds"]>): InteractionFields {
  const expireS = clamp(expire, INTERACTION_LIMITS.expireAfter);
  const everyS = Math.max(retry, Math.ceil(expireS / INTERACTION_LIMITS.roundsMax));
  return {
    incident: { key: null, event: "trigger", autoResolveAfterMs: null },
    prompt: null,
    repeatEveryMs: clamp(everyS, INTERACTION_LIMITS.repeatEvery) * 1_000,
    expireAfterMs: expireS * 1_000,
    escalation: null,
    callbackUrl: null,
  };
}
