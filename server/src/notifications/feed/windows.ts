import type { MembershipPeriod } from "#teams/store/teams.ts";
import type { FeedWindow } from "./store.ts";

/** Returns the windows of a person's feed: an unlimited one for the account, and one for each period in a team. */
export function toFeedWindows(
  accountId: string,
  periods: readonly MembershipPeriod[],
): readonly FeedWindow[] {
  return [
    { audienceId: accountId, startsAt: null, endsAt: null },
    ...periods.map(({ teamId, joinedAt, leftAt }) => ({
      audienceId: teamId,
      startsAt: joinedAt,
      endsAt: leftAt,
    })),
  ];
}
