import type { Context } from "#context.ts";
import { WokenWork } from "#concurrency/woken-work.ts";
import {
  claimNotices,
  nextNoticeAt,
  settleNotice,
  type OwedNotice,
} from "#devices/left/store/notices.ts";
import { findSent } from "../log/store.ts";
import { ReadDeadline } from "../read-deadline.ts";
import { send, type SendDeps } from "../send.ts";
import { noticeOf } from "./notice.ts";

/** Lease of a notice: longer than a send takes, with its wait for the database. */
const LEASE_MS = 60_000;
/** Interval of looks while a notice is owed; … */
const SLEEP_MAX_MS = 1_000;
/** … and while none is: another process may have died before it published what it owed. */
const LOOK_EVERY_MS = 5 * 60_000;
const FAULT_DELAY_MS = 10_000;
/** Life of the notification: a phone that was off for a day learns of it in other ways. */
const TTL_SECONDS = 24 * 60 * 60;

export interface TellerDeps extends SendDeps {
  readonly baseUrl: string;
}

/** Notifies accounts of their devices that left, from its start to its stop: devices that leave together share a notification. */
export class LeftDeviceTeller {
  readonly #deps: TellerDeps;
  readonly #work = new WokenWork({ work: () => this.#look(), sleepMaxMs: LOOK_EVERY_MS });

  constructor(deps: TellerDeps) {
    this.#deps = deps;
  }

  /** Begins with what is owed from before. */
  start(): void {
    this.#work.start();
  }

  /** Resolves once nothing is under way. */
  async stop(): Promise<void> {
    await this.#work.stop();
  }

  /** Looks for notices that are owed; called after a device left. */
  wake(): void {
    this.#work.wake();
  }

  async #look(): Promise<number> {
    try {
      await tellLeft(this.#deps);
      const isOwed = (await nextNoticeAt(this.#deps.context)) !== null;
      return isOwed ? SLEEP_MAX_MS : LOOK_EVERY_MS;
    } catch (error) {
      this.#deps.context.log.error({ err: error }, "owners cannot be told of devices that left");
      return FAULT_DELAY_MS;
    }
  }
}

/** Sends every notice that is due, once each. */
export async function tellLeft(deps: TellerDeps): Promise<void> {
  const { context } = deps;
  for (const notice of await claimNotices(context, LEASE_MS)) {
    if (notice.devices.length > 0 && !(await isSent(context, notice))) await tell(deps, notice);
    await settleNotice(context, notice.notificationId);
  }
}

async function isSent(
  context: Context,
  { accountId, notificationId: id }: OwedNotice,
): Promise<boolean> {
  return (await findSent(context, { id, audienceIds: [accountId] })) !== null;
}

async function tell(deps: TellerDeps, { accountId, notificationId, devices }: OwedNotice) {
  const { baseUrl } = deps;
  await send(deps, {
    id: notificationId,
    keyId: null,
    senderId: accountId,
    audience: { kind: "account", accountId },
    draft: noticeOf({ devices, baseUrl }),
    ttlSeconds: TTL_SECONDS,
    idempotencyKey: `devices that left ${notificationId}`,
    isAwaited: false,
    readDeadline: new ReadDeadline(0),
    onAudience: () => {},
  });
}
