import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { OwnedDevice } from "#devices/store/devices.ts";
import type { SignedInApp } from "./app.ts";
import type { AppConnection, AppStreams, OpenStream, Since } from "./app-streams.ts";
import { fetchMessages, listMessages } from "./fetch.ts";
import type { AppHub } from "./hub.ts";
import type { Mailbox } from "./mailbox.ts";
import type { MessageLoader } from "./message-loader.ts";
import type { Schedule } from "./schedule.ts";
import { resolveSince } from "./since.ts";
import { listChannels, removeEntries } from "./store/list.ts";
import { findValidSecrets } from "./store/apps.ts";
import { STREAMING_APPS_MAX, type PresenceChange } from "./store/presence.ts";
import { readNewEntries, readWantedEntries, type Wanted } from "./store/read.ts";
import { AppStream, type ReadEntries } from "./stream.ts";

/** The dependencies of the streams of apps. */
export interface AppStreamsDeps {
  readonly context: Context;
  readonly nodeId: string;
  readonly mailbox: Mailbox;
  readonly hub: AppHub;
  readonly loader: MessageLoader;
  readonly schedule: Schedule;
  /** Called after an app removed messages from its list; must not throw. */
  readonly onRemovedFromList: (accountId: string, notificationIds: readonly string[]) => void;
  /** Called after an app connected, disconnected or fetched; must not throw. */
  readonly onPresenceChanged: (device: OwnedDevice) => void;
}

/** The wait that an app is told if its account has too many streams. */
const RETRY_AFTER_MS = 60_000;

/** Returns the streams and mailboxes of apps. */
export function createAppStreams(deps: AppStreamsDeps): AppStreams {
  const { context } = deps;
  return {
    open: (app, connection, since) => openStream(deps, { app, connection, since }),
    fetch: (app, input) => fetchMessages(deps, app, input),
    listPage: (app, input) => listMessages(deps, app, input),
    async removeFromList(app, input) {
      const removed = await removeEntries(context, app.deviceId, input);
      const ids = removed.map(({ notificationId }) => notificationId);
      if (ids.length > 0) deps.onRemovedFromList(app.accountId, ids);
    },
    listChannels: ({ deviceId }) => listChannels(context, deviceId),
  };
}

interface OpenInput {
  readonly app: SignedInApp;
  readonly connection: AppConnection;
  readonly since: Since;
}

async function openStream(deps: AppStreamsDeps, input: OpenInput): Promise<OpenStream> {
  const { context, hub, mailbox, nodeId } = deps;
  const { app, connection, since } = input;
  const { deviceId, accountId } = app;
  const stream = createStream(deps, input);
  // From now on, hints of new messages reach the stream.
  hub.add(stream);
  try {
    await requireValidSecret(context, app);
    // The hub has forgotten the channels of a stream that ended: none would be recorded, and every message skipped.
    if (stream.hasEnded) throw createEndedError();
    const recorded = await mailbox.recordPresence({
      kind: "opened",
      deviceId,
      accountId,
      nodeId,
      at: stream.openedAt,
      channels: hub.listChannels(deviceId),
    });
    if (recorded.kind === "full") throw createLimitError();
    if (recorded.kind === "unchanged") throw createRemovedError();
    deps.onPresenceChanged(app);
    const { subscriptions, isFiltered = false } = connection;
    const wanted = await resolveSince(deps, { app, subscriptions, since, isFiltered });
    const { lastNumber } = recorded;
    const read = createReader(context, { deviceId, lastNumber, wanted });
    // The caller first tells the app that the stream is open.
    setImmediate(() => stream.start(read));
  } catch (error) {
    stream.end();
    throw error;
  }
  return { confirm: (number) => stream.confirm(number), end: () => stream.end() };
}

function createStream(deps: AppStreamsDeps, { app, connection }: OpenInput): AppStream {
  const { context, nodeId, hub, mailbox, loader, schedule } = deps;
  const { log, elapsed } = context;
  return new AppStream(
    {
      mailbox,
      log,
      elapsed,
      schedule,
      load: (entries) => loader.load(entries),
      onEnd(stream) {
        if (!hub.remove(stream)) return;
        const { deviceId } = stream.app;
        const ended = { kind: "ended", deviceId, nodeId, openedAt: context.now() } as const;
        void recordEnd(deps, stream.app, ended);
      },
    },
    { app, connection, openedAt: context.now() },
  );
}

/** Delay after the database failed. */
const RETRY_MS = 10_000;

/**
 * Never rejects: the end is recorded once the database can be written. A stream that was opened meanwhile stays
 * recorded.
 */
async function recordEnd(
  deps: Pick<AppStreamsDeps, "context" | "mailbox" | "schedule" | "onPresenceChanged">,
  app: SignedInApp,
  ended: PresenceChange,
): Promise<void> {
  try {
    const { kind } = await deps.mailbox.recordPresence(ended);
    // A stream that was refused has changed nothing.
    if (kind === "recorded") deps.onPresenceChanged(app);
  } catch (error) {
    deps.context.log.warn({ err: error }, "the end of an app's stream cannot be recorded yet");
    deps.schedule(RETRY_MS, () => void recordEnd(deps, app, ended));
  }
}

/**
 * Throws `unauthenticated` if the secret of an app has ended since the sign-in. If the secret ends from now on, its end
 * destroys the stream, which the hub already knows.
 */
async function requireValidSecret(context: Context, { credentialId }: SignedInApp): Promise<void> {
  const validSecrets = await findValidSecrets(context, [credentialId]);
  if (!validSecrets.has(credentialId)) throw createRemovedError();
}

function createRemovedError(): AppError {
  return new AppError("unauthenticated", "This app was removed.");
}

function createEndedError(): AppError {
  return new AppError("unavailable", "The stream ended while it opened. Connect again.");
}

function createLimitError(): AppError {
  const message = `At most ${STREAMING_APPS_MAX} apps of an account can be connected at a time. Remove those that you do not use, under Devices in the console.`;
  return new AppError("rate_limited", message, { retryAfterMs: RETRY_AFTER_MS });
}

/** Returns the reader of the owed and wanted messages up to the latest one at the opening, and then of all new ones. */
function createReader(
  context: Context,
  {
    deviceId,
    lastNumber,
    wanted,
  }: { readonly deviceId: string; readonly lastNumber: number; readonly wanted: Wanted },
): ReadEntries {
  return async (after, limit) => {
    if (after < lastNumber) {
      const page = { deviceId, after, upTo: lastNumber, wanted, limit };
      const entries = await readWantedEntries(context, page);
      if (entries.length === limit) return entries;
      const rest = { deviceId, after: lastNumber, limit: limit - entries.length };
      return [...entries, ...(await readNewEntries(context, rest))];
    }
    return readNewEntries(context, { deviceId, after, limit });
  };
}
