import type { FeedItem } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { findKeyNames } from "#keys/store/keys.ts";
import { findTeamNames } from "#teams/store/teams.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { toSharedFields } from "./shared-fields.ts";
import { findIncidentStates, findPromptStates } from "./interaction-states/store.ts";
import type { FeedEntry } from "./store.ts";

/** Returns entries, at most 500, as the app API shows them: in the same order, with the names of teams and keys. */
export async function loadFeedItems(
  context: Context,
  entries: readonly FeedEntry[],
): Promise<readonly FeedItem[]> {
  const items = entries.map(({ notification, readAt }) => ({
    ...toSharedFields(notification),
    keyId: notification.keyId,
    readAt: readAt === null ? null : formatTimestamp(readAt),
  }));
  const [teams, keys, incidentStates, promptStates] = await Promise.all([
    findTeamNames(context, listUniqueIds(items.map(({ teamId }) => teamId))),
    findKeyNames(context, listUniqueIds(items.map(({ keyId }) => keyId))),
    findIncidentStates(context, listUniqueIds(items.map(({ incidentId }) => incidentId))),
    findPromptStates(context, listUniqueIds(items.map(({ promptId }) => promptId))),
  ]);
  return items.map(({ keyId, ...item }) => ({
    ...item,
    teamName: (item.teamId === null ? null : teams.get(item.teamId)) ?? null,
    incidentState: (item.incidentId === null ? null : incidentStates.get(item.incidentId)) ?? null,
    promptState: (item.promptId === null ? null : promptStates.get(item.promptId)) ?? null,
    keyLabel: (keyId === null ? null : keys.get(keyId)?.label) ?? null,
  }));
}

/** Returns one entry as the app API shows it in a feed. */
export async function loadFeedItem(context: Context, entry: FeedEntry): Promise<FeedItem> {
  const [item] = await loadFeedItems(context, [entry]);
  if (item === undefined) throw new Error("The feed entry has no item.");
  return item;
}

function listUniqueIds(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
