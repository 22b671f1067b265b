import type { Stay } from "#teams/store/teams.ts";
import type { FeedWindow } from "./store.ts";

/** Returns the windows of a person's feed: everything sent to the account, and everything sent to a team during a stay. */
export function windowsOf(accountId: string, stays: readonly Stay[]): readonly FeedWindow[] {
  return [
    { audienceId: accountId, from: null, until: null },
    ...stays.map(({ teamId, joinedAt, leftAt }) => ({
      audienceId: teamId,
      from: joinedAt,
      until: leftAt,
    })),
  ];
}
