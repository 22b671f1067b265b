import type { FeedChange } from "@tocsin/sdk";
import { createApps, type Apps } from "#apps/apps.ts";
import { createAppSignIn } from "#apps/create-sign-in.ts";
import { scheduleTimer } from "#apps/schedule.ts";
import type { AppSignIn } from "#apps/sign-in.ts";
import { createIphoneWaker } from "#apps/wake-iphone.ts";
import type { Config } from "#config/config.ts";
import type { Context } from "#context.ts";
import type { ChangedDevice } from "#devices/store/devices.ts";
import type { MailSender } from "#mail/mail-sender.ts";
import type { Nodes } from "#nodes/nodes.ts";
import { readNotifications } from "#notifications/acts/read-notifications.ts";
import type { Publisher } from "#notifications/live/publish.ts";
import { listMembershipPeriods } from "#teams/store/teams.ts";
import { createAppMetrics } from "./app-metrics.ts";
import type { Metrics } from "./metrics.ts";

interface AppRoomDeps {
  readonly context: Context;
  readonly nodes: Nodes;
  readonly metrics: Metrics;
  /** Publishes to the console. */
  readonly basePublisher: Publisher;
  readonly mail: MailSender;
}

/** The room of connected apps, and the publisher that also publishes changes to them. */
export interface AppRoom {
  readonly apps: Apps;
  readonly appSignIn: AppSignIn;
  readonly publisher: Publisher;
}

/** Returns a signal that aborts after this time. */
const createTimeout = (milliseconds: number) => AbortSignal.timeout(milliseconds);

/**
 * Returns the room of connected apps. A notification that is read or removed on one app or in the console is cleared on
 * all apps.
 */
export function createAppRoom(
  config: Pick<Config, "baseUrl" | "mail" | "ntfyUpstream">,
  { context, nodes, metrics, basePublisher, mail }: AppRoomDeps,
): AppRoom {
  const { baseUrl, ntfyUpstream: upstream } = config;
  const apps = createApps({
    context,
    nodes,
    schedule: scheduleTimer,
    wake: upstream === null ? null : createIphoneWaker({ upstream, baseUrl, createTimeout }),
    onRemovedFromList: (accountId, ids) => {
      void markRead({ context, publisher }, accountId, ids);
    },
    onPresenceChanged: ({ accountId, deviceId }) =>
      basePublisher.publishDevice({ accountId, deviceId }),
    onProven: createAppMetrics(metrics.registry, context, () => apps.hub.countStreams()),
  });
  const publisher: Publisher = {
    ...basePublisher,
    publishFeedChange(accountId, change) {
      basePublisher.publishFeedChange(accountId, change);
      clearReadOnApps(apps, accountId, change);
    },
    publishDevice(device) {
      basePublisher.publishDevice(device);
      apps.reviewDevice(device.deviceId);
    },
  };
  const appSignIn = createAppSignIn({
    context,
    notices: config.mail === null ? null : { baseUrl, wakeMailSender: () => mail.wake() },
    onDeviceChanged: publisher.publishDevice,
    endStreamsOfSecret: (credentialId) => apps.endStreamsOfSecret(credentialId),
  });
  return { apps, appSignIn, publisher };
}

/** Subscribes the apps to messages of other nodes. */
export function connectApps(apps: Apps, nodes: Nodes): void {
  nodes.on("device", (body) => {
    const { deviceId } = body as ChangedDevice; // `createPublisher` of another node sent it.
    apps.checks.reviewDevice(deviceId);
  });
  nodes.on("read", (body) => {
    const { accountId, change } = body as { accountId: string; change: FeedChange }; // As above.
    clearReadOnApps(apps, accountId, change);
  });
  // The database itself publishes that an account was suspended or deleted.
  nodes.on("account", (id) => reviewAccount(apps, String(id)));
  nodes.onGap(() => apps.checks.review(() => true));
  nodes.onDeadNodes((ids) => apps.takeOver(ids));
  nodes.onHeartbeat(() => apps.checkMailboxes());
}

/** Destroys the streams of an account in this process, unless its apps may still sign in. */
export function reviewAccount({ checks }: Apps, accountId: string): void {
  checks.review(({ app }) => app.accountId === accountId);
}

/** Maximum number of notifications that one act marks as read. */
const READ_MAX = 50;

/**
 * Marks notifications as read in the feed of an account, in one batch after another, because a list may have thousands.
 * Never rejects.
 */
async function markRead(
  { context, publisher }: { readonly context: Context; readonly publisher: Publisher },
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  const deps = {
    context,
    listMembershipPeriods: (id: string) => listMembershipPeriods(context, id),
    onChanged: publisher.publishFeedChange,
  };
  for (let start = 0; start < ids.length; start += READ_MAX) {
    try {
      await readNotifications(
        deps,
        { accountId },
        { subjectIds: ids.slice(start, start + READ_MAX) },
      );
    } catch (error) {
      // The entries may have left the feed.
      context.log.debug({ err: error }, "removed messages could not be marked as read");
    }
  }
}

/**
 * Clears notifications on the apps of an account after they were read or deleted. A mark of the whole feed names no
 * notifications, so the apps keep theirs.
 */
function clearReadOnApps(apps: Apps, accountId: string, change: FeedChange): void {
  if (change.kind === "read") {
    if ("ids" in change.which) apps.clearRead(accountId, change.which.ids);
  } else if (change.kind === "deleted") apps.clearRead(accountId, change.ids);
}
