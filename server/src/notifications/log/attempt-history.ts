import type { DeliveryAttempt, DeliveryDetail, DeviceOwner } from "@tocsin/sdk";
import type { DeliveryResult, NewNotification, PendingDevice } from "#delivery/delivery.ts";
import { FIRST_ATTEMPTS_MAX, getResultHistory, type History } from "#delivery/history.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { NamedDevice } from "#devices/store/devices.ts";
import { explainPending, explainResult } from "./explain-delivery.ts";

/** A device and its owner. Both are null if they are unknown; the owner also if readers request their own devices. */
export interface DeviceWithOwner {
  readonly device: NamedDevice | null;
  readonly owner: DeviceOwner | null;
}

/** A delivery detail under construction. It is mutable, because response schemas have no readonly arrays. */
export type MutableDeliveryDetail = Omit<DeliveryDetail, "attemptHistory"> & {
  attemptHistory: DeliveryAttempt[];
};

/** Returns the result of one device's ended delivery, with its recorded attempts. */
export function toResultDetail(
  ended: { readonly result: DeliveryResult } & DeviceWithOwner,
  notification: NewNotification,
): MutableDeliveryDetail {
  const delivery = explainResult(ended, notification);
  const { owner } = ended;
  return {
    ...delivery,
    owner,
    nextAttemptAt: null,
    ...toHistoryFields(getResultHistory(ended.result)),
  };
}

/** Returns the state of one device's unfinished delivery, with its recorded attempts. */
export function toPendingDetail(
  unfinished: { readonly pending: PendingDevice } & DeviceWithOwner,
  notification: NewNotification,
): MutableDeliveryDetail {
  const { code, runAt, history } = unfinished.pending;
  const delivery = explainPending(unfinished, notification);
  const nextAttemptAt = code === null ? null : formatTimestamp(runAt);
  return {
    ...delivery,
    owner: unfinished.owner,
    nextAttemptAt,
    ...toHistoryFields(history ?? { attempts: [], leftOut: 0 }),
  };
}

function toHistoryFields({ attempts, leftOut }: History) {
  let attemptNumber = 0;
  const attemptHistory = attempts.map(({ kind, at, code, detail, nextAt }, index) => {
    const isAfterGap = index === Math.min(FIRST_ATTEMPTS_MAX, attempts.length - 1);
    if (isAfterGap) attemptNumber += leftOut;
    if (kind !== "held") attemptNumber += 1;
    return {
      attempt: kind === "held" ? null : attemptNumber,
      at: formatTimestamp(at),
      outcome: kind,
      code,
      answer: detail,
      nextAttemptAt: nextAt === null ? null : formatTimestamp(nextAt),
    };
  });
  return { attemptHistory, attemptsLeftOut: leftOut };
}
