import type { Context } from "#context.ts";
import { loadFeedItems } from "../feed/items.ts";
import { listFeed } from "../feed/store.ts";
import type { MembershipPeriod } from "#teams/store/teams.ts";
import { toFeedWindows } from "../feed/windows.ts";
import type { HubEvent } from "./hub.ts";

/** The dependencies of a replay from the database. */
export interface ReplayDeps {
  readonly context: Context;
  /** Returns the account's membership periods, including past ones. */
  readonly listMembershipPeriods: (accountId: string) => Promise<readonly MembershipPeriod[]>;
}

/** The maximum number of notifications in a replay from the database; the feed has the rest. */
const REPLAYED_NOTIFICATIONS_MAX = 200;
/** The longest time between the creation of a notification's id and the publication of its event. */
const PUBLISH_DELAY_MAX_MS = 10_000;

/**
 * Returns the newest notifications in the account's feed since `sinceAt`, in milliseconds, oldest first. Some of them
 * may have been published already; up to the limit, none is missing.
 */
export async function loadMissedNotifications(
  { context, listMembershipPeriods }: ReplayDeps,
  { accountId, sinceAt }: { readonly accountId: string; readonly sinceAt: number },
): Promise<readonly HubEvent[]> {
  const entries = await listFeed(context, {
    accountId,
    windows: toFeedWindows(accountId, await listMembershipPeriods(accountId)),
    channel: null,
    isUnreadOnly: false,
    after: null,
    limit: REPLAYED_NOTIFICATIONS_MAX,
  });
  const missedEntries = entries.filter(
    ({ notification }) => notification.createdAt > sinceAt - PUBLISH_DELAY_MAX_MS,
  );
  const items = await loadFeedItems(context, missedEntries);
  return items
    .map((data) => ({
      id: data.id,
      kind: "notification" as const,
      data,
      accountIds: new Set([accountId]),
    }))
    .toReversed();
}
