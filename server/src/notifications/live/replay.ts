import type { Context } from "#context.ts";
import { feedItems } from "../feed/items.ts";
import { listFeed } from "../feed/store.ts";
import type { Stay } from "#teams/store/teams.ts";
import { windowsOf } from "../feed/windows.ts";
import type { HubEvent } from "./hub.ts";

export interface ReplayDeps {
  readonly context: Context;
  /** Returns every stay of an account in a team, including past ones. */
  readonly staysOf: (accountId: string) => Promise<readonly Stay[]>;
}

/** The maximum number of notifications in a replay from the database; the feed has the rest. */
const REPLAYED_MAX = 200;
/** Events are published shortly after the notification's id was created. */
const MARGIN_MS = 10_000;

/**
 * Returns the newest notifications in the account's feed since `since`, in milliseconds, oldest first. Some of them
 * may have been published already; up to the limit, none is missing.
 */
export async function replayedNotifications(
  { context, staysOf }: ReplayDeps,
  { accountId, since }: { readonly accountId: string; readonly since: number },
): Promise<readonly HubEvent[]> {
  const entries = await listFeed(context, {
    accountId,
    windows: windowsOf(accountId, await staysOf(accountId)),
    channel: null,
    isUnreadOnly: false,
    after: null,
    limit: REPLAYED_MAX,
  });
  const missed = entries.filter(({ notification }) => notification.createdAt > since - MARGIN_MS);
  const items = await feedItems(context, missed);
  return items
    .map((data) => ({
      id: data.id,
      kind: "notification" as const,
      data,
      accountIds: new Set([accountId]),
    }))
    .toReversed();
}
