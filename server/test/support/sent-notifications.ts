import type { Context } from "#context.ts";
import { toDay, toPace } from "#delivery/result/activity.ts";
import type { DeliveryResult, NewNotification } from "#delivery/delivery.ts";
import type { Attempt } from "#delivery/history.ts";
import { encodeCounts, encodeResults } from "#delivery/store/tuples.ts";
import { insertNotifications, createNotification } from "./notifications.ts";

const MINUTE_MS = 60_000;
const FIRST_ATTEMPT_AFTER_MS = 180;
/** The attempts in the history of a failed result, and those that the history leaves out. */
const LISTED_ATTEMPTS = 12;
const LEFT_OUT_ATTEMPTS = 9;

/** A notification's result on one device, without the fields that every result has. */
export type ResultFields = Pick<DeliveryResult, "deviceId" | "state" | "code"> &
  Partial<DeliveryResult>;

/** Stores a notification with its results, as if it had been sent completely. */
export async function insertSentNotification(
  context: Context,
  accountId: string,
  sent: { readonly overrides: Partial<NewNotification>; readonly results: readonly ResultFields[] },
): Promise<NewNotification> {
  const { results, overrides } = sent;
  const notification = createNotification(context, accountId, {
    deviceCount: results.length,
    ...overrides,
  });
  await insertNotifications(context, [notification]);
  const at = notification.createdAt + FIRST_ATTEMPT_AFTER_MS;
  const deliveryResults = results.map((result): DeliveryResult => ({
    provider: "webpush",
    detail: null,
    attempts: 1,
    at,
    ...result,
  }));
  const page = {
    notification_id: notification.id,
    id: context.newId(),
    created_at: at,
    results: encodeResults(deliveryResults),
    counts: encodeCounts(deliveryResults),
  };
  await context.database.db.insertInto("delivery_page").values(page).execute();
  return notification;
}

/** Returns the result of a device that failed every attempt for two hours. */
export function createFailedResult(deviceId: string, createdAt: number): ResultFields {
  const attempts = Array.from({ length: LISTED_ATTEMPTS }, (_, index): Attempt => {
    const firstAt = createdAt + FIRST_ATTEMPT_AFTER_MS;
    const at = firstAt + index ** 2 * MINUTE_MS;
    const isLast = index === LISTED_ATTEMPTS - 1;
    const nextAt = isLast ? null : firstAt + (index + 1) ** 2 * MINUTE_MS;
    const response = { code: "transient", detail: "updates.push.example answered 503" } as const;
    return { kind: "retry", at, ...response, nextAt };
  });
  const at = attempts.at(-1)?.at ?? createdAt;
  const history = { attempts, leftOut: LEFT_OUT_ATTEMPTS };
  const attemptCount = LISTED_ATTEMPTS + LEFT_OUT_ATTEMPTS;
  return { deviceId, state: "failed", code: "gave_up", attempts: attemptCount, at, history };
}

/** Inserts activity counts of the last seven days. */
export async function insertActivity(context: Context, audienceId: string): Promise<void> {
  const today = toDay(context.now());
  const rows = Array.from({ length: 7 }, (_, index) => {
    const day = { audience_id: audienceId, day: today - index, pace: 0 };
    const acceptedDay = { ...day, state: "accepted", code: "accepted" } as const;
    return [
      { ...acceptedDay, provider: "webpush", pace: toPace(90), count: 320 - 37 * index },
      { ...acceptedDay, provider: "apns", pace: toPace(240), count: 110 + 23 * index },
      { ...acceptedDay, provider: "fcm", pace: toPace(4_100), count: 40 + index },
      { ...day, provider: "webpush", state: "gone", code: "device_gone", count: 3 + (index % 3) },
      { ...day, provider: "apns", state: "expired", code: "expired", count: 1 + 5 * (index % 2) },
      { ...day, provider: "fcm", state: "skipped", code: "paused", count: 14 },
    ] as const;
  });
  await context.database.db.insertInto("activity").values(rows.flat()).execute();
}
