import type { FeedChange } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import type { MembershipPeriod } from "#teams/store/teams.ts";
import { formatTimestamp } from "#schema/timestamp.ts";
import { findInFeed, markRead } from "../feed/marks/store.ts";
import { toFeedWindows } from "../feed/windows.ts";
import type { ActRequest, ActResult } from "./act.ts";

/** The dependencies of `readNotifications`. */
export interface ReadNotificationsDeps {
  readonly context: Context;
  readonly listMembershipPeriods: (accountId: string) => Promise<readonly MembershipPeriod[]>;
  /** Called after an account changed its feed; must not throw. */
  readonly onChanged: (accountId: string, change: FeedChange) => void;
}

/**
 * Marks notifications in the feed of the device's owner as read. Skips notifications that are not in the feed; throws
 * `not_found` if the feed has none of them.
 */
export async function readNotifications(
  { context, listMembershipPeriods, onChanged }: ReadNotificationsDeps,
  { accountId }: { readonly accountId: string },
  { subjectIds }: Pick<ActRequest, "subjectIds">,
): Promise<ActResult> {
  const windows = toFeedWindows(accountId, await listMembershipPeriods(accountId));
  const ids = await findInFeed(context, { accountId, windows, ids: subjectIds });
  const readAt = await markRead(context, { accountId, windows, selection: { ids } });
  if (readAt === null) throw new AppError("not_found", "You have no such notification.");
  onChanged(accountId, { kind: "read", which: { ids }, readAt: formatTimestamp(readAt) });
  return { message: "Marked as read." };
}
