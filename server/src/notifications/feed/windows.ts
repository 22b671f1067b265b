import type { MembershipPeriod } from "#teams/store/teams.ts";
import type { FeedWindow } from "./store.ts";

/** Returns the windows of a person's feed: everything sent to the account, and everything sent to a team during a stay. */
export function toFeedWindows(
  accountId: string,
  stays: readonly MembershipPeriod[],
): readonly FeedWindow[] {
  return [
    { audienceId: accountId, startsAt: null, endsAt: null },
    ...stays.map(({ teamId, joinedAt, leftAt }) => ({
      audienceId: teamId,
      startsAt: joinedAt,
      endsAt: leftAt,
    })),
  ];
}
