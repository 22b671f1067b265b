import type { Context } from "#context.ts";
import { WakeableTask } from "#concurrency/wakeable-task.ts";
import {
  claimNotices,
  findNextNoticeAt,
  settleNotice,
  type PendingNotice,
} from "#devices/left-devices/store/notices.ts";
import { findSentNotification } from "../log/store.ts";
import { ReadDeadline } from "../read-deadline.ts";
import { send, type SendDeps } from "../send.ts";
import { composeLeftDevicesNotice } from "./notice.ts";

/** The lease of a notice: longer than a send takes, including its wait for the database. */
const LEASE_MS = 60_000;
/** The poll interval while a notice is pending. */
const PENDING_POLL_INTERVAL_MS = 1_000;
/** The poll interval while no notice is pending: another process may store one and crash before it sends it. */
const IDLE_POLL_INTERVAL_MS = 5 * 60_000;
const RETRY_DELAY_MS = 10_000;
/** The time after which no device gets the notification any more. Later readers find it in the feed. */
const TTL_SECONDS = 24 * 60 * 60;

/** The dependencies of the notices about devices that left. */
export interface LeftDeviceNotifierDeps extends SendDeps {
  readonly baseUrl: string;
}

/**
 * The worker that notifies accounts of their devices that left: devices that their push service no longer registers.
 * Devices that leave together share a notification.
 */
export class LeftDeviceNotifier {
  readonly #deps: LeftDeviceNotifierDeps;
  readonly #task = new WakeableTask({
    runDueWork: () => this.#poll(),
    sleepMaxMs: IDLE_POLL_INTERVAL_MS,
  });

  constructor(deps: LeftDeviceNotifierDeps) {
    this.#deps = deps;
  }

  /** Starts with the notices that are already pending. */
  start(): void {
    this.#task.start();
  }

  /** Resolves once no notice is being sent. */
  async stop(): Promise<void> {
    await this.#task.stop();
  }

  /** Polls for pending notices immediately; called after a device left. */
  wake(): void {
    this.#task.wake();
  }

  async #poll(): Promise<number> {
    try {
      await sendNotices(this.#deps);
      const isPending = (await findNextNoticeAt(this.#deps.context)) !== null;
      return isPending ? PENDING_POLL_INTERVAL_MS : IDLE_POLL_INTERVAL_MS;
    } catch (error) {
      this.#deps.context.log.error(
        { err: error },
        "owners could not be notified of devices that left; retrying",
      );
      return RETRY_DELAY_MS;
    }
  }
}

/** Sends a batch of the notices that are due, each once. */
export async function sendNotices(deps: LeftDeviceNotifierDeps): Promise<void> {
  const { context } = deps;
  for (const notice of await claimNotices(context, LEASE_MS)) {
    if (notice.devices.length > 0 && !(await isSent(context, notice)))
      await sendNotice(deps, notice);
    await settleNotice(context, notice.notificationId);
  }
}

async function isSent(
  context: Context,
  { accountId, notificationId: id }: PendingNotice,
): Promise<boolean> {
  return (await findSentNotification(context, { id, audienceIds: [accountId] })) !== null;
}

async function sendNotice(
  deps: LeftDeviceNotifierDeps,
  { accountId, notificationId, devices }: PendingNotice,
) {
  const { baseUrl } = deps;
  await send(deps, {
    id: notificationId,
    keyId: null,
    senderId: accountId,
    audience: { kind: "account", accountId },
    draft: composeLeftDevicesNotice({ devices, baseUrl }),
    ttlSeconds: TTL_SECONDS,
    idempotencyKey: `devices that left ${notificationId}`,
    isAwaited: false,
    readDeadline: new ReadDeadline(0),
    charge: () => {},
  });
}
