import type { DeliveryAttempt, DeliveryDetail, DeviceOwner } from "@tocsin/sdk";
import type { DeliveryResult, NewNotification, PendingDevice } from "#delivery/delivery.ts";
import { FIRST_MAX, historyOfResult, type History } from "#delivery/history.ts";
import { timestamp } from "#schema/moment.ts";
import type { NamedDevice } from "#devices/store/devices.ts";
import { explainPending, explainResult } from "./explained.ts";

/** A device and its owner. The owner is null if the reader requests their own devices. */
export interface ShownDevice {
  readonly device: NamedDevice | null;
  readonly owner: DeviceOwner | null;
}

/** A delivery detail under construction. It is mutable, because response schemas have no readonly arrays. */
export type MutableDetail = Omit<DeliveryDetail, "attemptHistory"> & {
  attemptHistory: DeliveryAttempt[];
};

/** Returns how one device's delivery ended, with all attempts. */
export function detailOfResult(
  ended: { readonly result: DeliveryResult } & ShownDevice,
  notification: NewNotification,
): MutableDetail {
  const delivery = explainResult(ended, notification);
  const { owner } = ended;
  return {
    ...delivery,
    owner,
    nextAttemptAt: null,
    ...historyFields(historyOfResult(ended.result)),
  };
}

/** Returns the state of one device's unfinished delivery, with all attempts. */
export function detailOfPending(
  owed: { readonly pending: PendingDevice } & ShownDevice,
  notification: NewNotification,
): MutableDetail {
  const { code, runAt, history } = owed.pending;
  const delivery = explainPending(owed, notification);
  const nextAttemptAt = code === null ? null : timestamp(runAt);
  return {
    ...delivery,
    owner: owed.owner,
    nextAttemptAt,
    ...historyFields(history ?? { attempts: [], leftOut: 0 }),
  };
}

function historyFields({ attempts, leftOut }: History) {
  let attemptNumber = 0;
  const attemptHistory = attempts.map(({ kind, at, code, detail, nextAt }, index) => {
    const isAfterGap = index === Math.min(FIRST_MAX, attempts.length - 1);
    if (isAfterGap) attemptNumber += leftOut;
    if (kind !== "held") attemptNumber += 1;
    return {
      attempt: kind === "held" ? null : attemptNumber,
      at: timestamp(at),
      outcome: kind,
      code,
      answer: detail,
      nextAttemptAt: nextAt === null ? null : timestamp(nextAt),
    };
  });
  return { attemptHistory, attemptsLeftOut: leftOut };
}
