import type { MembershipPeriod } from "#teams/store/teams.ts";
import type { FeedWindow } from "./store.ts";

/** Returns the windows of a person's feed: all of the account, and those of teams during each membership period. */
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
