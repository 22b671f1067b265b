import type { DeliveryAttempt, DeliveryDetail, DeviceOwner } from "@tocsin/sdk";
import type { DeliveryResult, NewNotification, PendingDevice } from "#delivery/delivery.ts";
import { FIRST_MAX, historyOfResult, type History } from "#delivery/history.ts";
import { timestamp } from "#schema/moment.ts";
import type { NamedDevice } from "#devices/store/devices.ts";
import { explainPending, explainResult } from "./explained.ts";

/** Details while they are made: schemas of answers know no readonly lists. */
/** The facts about a device besides its delivery; the owner is null if the reader asks for their own devices. */
export interface ShownDevice {
  readonly device: NamedDevice | null;
  readonly owner: DeviceOwner | null;
}

export type MutableDetail = Omit<DeliveryDetail, "attemptHistory"> & {
  attemptHistory: DeliveryAttempt[];
};

/** Returns how one device's delivery ended, with all attempts. */
export function detailOfResult(
  ended: { readonly result: DeliveryResult } & ShownDevice,
  notification: NewNotification,
): MutableDetail {
  const told = explainResult(ended, notification);
  const { owner } = ended;
  return { ...told, owner, nextAttemptAt: null, ...toldHistory(historyOfResult(ended.result)) };
}

/** Returns the state of one device's unfinished delivery, with all attempts. */
export function detailOfPending(
  owed: { readonly pending: PendingDevice } & ShownDevice,
  notification: NewNotification,
): MutableDetail {
  const { code, runAt, history } = owed.pending;
  const told = explainPending(owed, notification);
  const nextAttemptAt = code === null ? null : timestamp(runAt);
  return {
    ...told,
    owner: owed.owner,
    nextAttemptAt,
    ...toldHistory(history ?? { attempts: [], leftOut: 0 }),
  };
}

function toldHistory({ attempts, leftOut }: History) {
  let made = 0;
  const attemptHistory = attempts.map(({ kind, at, code, detail, nextAt }, index) => {
    const isAfterGap = index === Math.min(FIRST_MAX, attempts.length - 1);
    if (isAfterGap) made += leftOut;
    if (kind !== "held") made += 1;
    return {
      attempt: kind === "held" ? null : made,
      at: timestamp(at),
      outcome: kind,
      code,
      answer: detail,
      nextAttemptAt: nextAt === null ? null : timestamp(nextAt),
    };
  });
  return { attemptHistory, attemptsLeftOut: leftOut };
}
