import type { FeedItem } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { keyNames } from "#keys/store/keys.ts";
import { teamNames } from "#teams/store/teams.ts";
import { timestamp } from "#schema/moment.ts";
import { sharedFields } from "./feed.ts";
import type { FeedEntry } from "./store.ts";

/** Returns at most 500 entries as the app API shows them, with the names of their senders, in the same order. */
export async function feedItems(
  context: Context,
  entries: readonly FeedEntry[],
): Promise<readonly FeedItem[]> {
  const items = entries.map(({ notification, readAt }) => ({
    ...sharedFields(notification),
    keyId: notification.keyId,
    readAt: readAt === null ? null : timestamp(readAt),
  }));
  const [teams, keys] = await Promise.all([
    teamNames(context, unique(items.map(({ teamId }) => teamId))),
    keyNames(context, unique(items.map(({ keyId }) => keyId))),
  ]);
  return items.map(({ keyId, ...item }) => ({
    ...item,
    teamName: (item.teamId === null ? null : teams.get(item.teamId)) ?? null,
    keyLabel: (keyId === null ? null : keys.get(keyId)?.label) ?? null,
  }));
}

/** Returns one entry as the app API shows it in a feed. */
export async function feedItem(context: Context, entry: FeedEntry): Promise<FeedItem> {
  const [item] = await feedItems(context, [entry]);
  if (item === undefined) throw new Error("One entry makes one item.");
  return item;
}

/** Returns the distinct ids. */
function unique(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
