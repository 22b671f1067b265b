import type { Context } from "#context.ts";
import type { OwnedDevice } from "#devices/store/devices.ts";
import type { MailboxMessage, SignedInApp } from "./app.ts";
import type { AddressedMessage, FetchedMessages, FetchInput, PageInput } from "./app-streams.ts";
import type { Mailbox } from "./mailbox.ts";
import type { MessageLoader } from "./message-loader.ts";
import { recordProofsWithRetries } from "./record-proofs-with-retries.ts";
import type { Schedule } from "./schedule.ts";
import { resolveSince } from "./since.ts";
import { listEntries } from "./store/list.ts";
import { recordFetch } from "./store/presence.ts";
import { findEntry, readWantedEntries, type MailboxEntry } from "./store/read.ts";
import { listSubscribedChannels, selectTopic } from "./subscriptions.ts";

/** The dependencies of requests for messages. */
export interface FetchDeps {
  readonly context: Context;
  readonly mailbox: Mailbox;
  readonly loader: MessageLoader;
  readonly schedule: Schedule;
  /** Called after an app fetched; must not throw. */
  readonly onPresenceChanged: (device: OwnedDevice) => void;
}

/** Maximum number of messages in the response to a poll. The next poll gets the messages after them. */
const FETCHED_MAX = 1_000;

/** Number of characters after which the response to a poll ends, so that concurrent polls need little memory. */
const FETCHED_MAX_CHARACTERS = 2 * 1024 * 1024;
/** Number of messages that are read at a time. */
const PAGE_MAX = 100;

/** Implements `AppStreams.fetch`. */
export async function fetchMessages(
  deps: FetchDeps,
  app: SignedInApp,
  input: FetchInput,
): Promise<FetchedMessages<AddressedMessage>> {
  const { context } = deps;
  const { subscriptions, since, notificationId, isFiltered = false } = input;
  const { deviceId } = app;
  const lastNumber = await recordFetch(context, deviceId, listSubscribedChannels(subscriptions));
  if (lastNumber === null) return { messages: [], recordFetched: async () => {} };
  deps.onPresenceChanged(app);
  const read =
    notificationId === null
      ? createReader(context, {
          deviceId,
          upTo: lastNumber,
          wanted: await resolveSince(deps, { app, subscriptions, since, isFiltered }),
          channels: listSubscribedChannels(subscriptions),
        })
      : async () => listEntry(context, deviceId, notificationId);
  const messages = await readAskedFor(deps, input, read);
  const numbers = messages.map(({ message }) => message.number);
  return { messages, recordFetched: () => recordFetched(deps, deviceId, numbers) };
}

type ReadPage = (after: number) => Promise<readonly MailboxEntry[]>;

function createReader(
  context: Context,
  page: Omit<Parameters<typeof readWantedEntries>[1], "after" | "limit">,
): ReadPage {
  return (after) => readWantedEntries(context, { ...page, after, limit: PAGE_MAX });
}

/** Reads pages until it has enough messages that the app asks for, however many others lie between them. */
async function readAskedFor(
  { context, loader }: FetchDeps,
  { subscriptions, matches }: FetchInput,
  read: ReadPage,
): Promise<readonly AddressedMessage[]> {
  const found: AddressedMessage[] = [];
  let characterCount = 0;
  let entries: readonly MailboxEntry[] = [];
  do {
    entries = await read(entries.at(-1)?.number ?? 0);
    for (const message of await loader.load(entries)) {
      const topic = selectTopic(subscriptions, message.channel);
      const isAskedFor = message.expiresAt > context.now() && matches(message);
      if (topic === null || !isAskedFor) continue;
      found.push({ topic, message });
      characterCount += message.body.length + (message.extras?.length ?? 0);
      const isFull = found.length === FETCHED_MAX || characterCount >= FETCHED_MAX_CHARACTERS;
      if (isFull) return found;
    }
  } while (entries.length === PAGE_MAX);
  return found;
}

/** Implements `AppStreams.listPage`. */
export async function listMessages(
  deps: FetchDeps,
  app: SignedInApp,
  page: PageInput,
): Promise<FetchedMessages<MailboxMessage>> {
  const { context, loader, onPresenceChanged } = deps;
  const { deviceId } = app;
  await recordFetch(context, deviceId, null);
  onPresenceChanged(app);
  const messages = await loader.load(await listEntries(context, deviceId, page));
  const numbers = messages.map(({ number }) => number);
  return { messages, recordFetched: () => recordFetched(deps, deviceId, numbers) };
}

async function listEntry(
  context: Context,
  deviceId: string,
  notificationId: string,
): Promise<readonly MailboxEntry[]> {
  const entry = await findEntry(context, deviceId, notificationId);
  return entry === null ? [] : [entry];
}

/** Records the proof `fetched`. Repeated requests for the same messages change nothing. */
async function recordFetched(
  { context: { log }, mailbox, schedule }: FetchDeps,
  deviceId: string,
  numbers: readonly number[],
): Promise<void> {
  const proofs = numbers.map((number) => ({ deviceId, number, how: "fetched" }) as const);
  await recordProofsWithRetries({ log, mailbox, schedule }, proofs);
}
