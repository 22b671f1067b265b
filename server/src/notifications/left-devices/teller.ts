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
import { composeNotice } from "./notice.ts";

/** The lease of a notice: longer than a send takes, including its wait for the database. */
const LEASE_MS = 60_000;
/** The poll interval while a notice is pending; … */
const SLEEP_MAX_MS = 1_000;
/** … and while none is: another process may have crashed before it published a pending notice. */
const LOOK_EVERY_MS = 5 * 60_000;
const FAULT_DELAY_MS = 10_000;
/** The lifetime of the notification. A phone that was off for a day learns about the loss in other ways. */
const TTL_SECONDS = 24 * 60 * 60;

export interface TellerDeps extends SendDeps {
  readonly baseUrl: string;
}

/** Notifies accounts of their devices that left. Devices that leave together share a notification. */
export class LeftDeviceTeller {
  readonly #deps: TellerDeps;
  readonly #work = new WokenWork({ work: () => this.#poll(), sleepMaxMs: LOOK_EVERY_MS });

  constructor(deps: TellerDeps) {
    this.#deps = deps;
  }

  /** Starts with the notices that are already pending. */
  start(): void {
    this.#work.start();
  }

  /** Resolves once no notice is being sent. */
  async stop(): Promise<void> {
    await this.#work.stop();
  }

  /** Polls for pending notices immediately; called after a device left. */
  wake(): void {
    this.#work.wake();
  }

  async #poll(): Promise<number> {
    try {
      await sendNotices(this.#deps);
      const isPending = (await nextNoticeAt(this.#deps.context)) !== null;
      return isPending ? SLEEP_MAX_MS : LOOK_EVERY_MS;
    } catch (error) {
      this.#deps.context.log.error({ err: error }, "owners cannot be told of devices that left");
      return FAULT_DELAY_MS;
    }
  }
}

/** Sends every notice that is due, each once. */
export async function sendNotices(deps: TellerDeps): Promise<void> {
  const { context } = deps;
  for (const notice of await claimNotices(context, LEASE_MS)) {
    if (notice.devices.length > 0 && !(await isSent(context, notice)))
      await sendNotice(deps, notice);
    await settleNotice(context, notice.notificationId);
  }
}

async function isSent(
  context: Context,
  { accountId, notificationId: id }: OwedNotice,
): Promise<boolean> {
  return (await findSent(context, { id, audienceIds: [accountId] })) !== null;
}

async function sendNotice(deps: TellerDeps, { accountId, notificationId, devices }: OwedNotice) {
  const { baseUrl } = deps;
  await send(deps, {
    id: notificationId,
    keyId: null,
    senderId: accountId,
    audience: { kind: "account", accountId },
    draft: composeNotice({ devices, baseUrl }),
    ttlSeconds: TTL_SECONDS,
    idempotencyKey: `devices that left ${notificationId}`,
    isAwaited: false,
    readDeadline: new ReadDeadline(0),
    onAudience: () => {},
  });
}
