import type { Audience } from "#devices/audiences/audience.ts";

/**
 * How an audience learns of an incident: only by its feed (`feed`), also by pushes (`told`), or also by the rounds of
 * the ringing (`rung`).
 */
export type AudienceReach = "feed" | "told" | "rung";

/** An audience that was told of an incident. */
export interface ToldAudience {
  readonly id: string;
  readonly audience: Audience;
  /** The step that reached the audience, from 1; null if no step did. */
  readonly step: number | null;
  readonly reach: AudienceReach;
  /** The notification that is the incident's line in the feed of this audience. */
  readonly feedNotificationId: string | null;
}

/** Returns whether two audiences are the same. */
export function isSameAudience(one: Audience, other: Audience): boolean {
  return toAudienceKey(one) === toAudienceKey(other);
}

/** Returns a string that is equal for equal audiences. */
function toAudienceKey(audience: Audience): string {
  switch (audience.kind) {
    case "account":
      return `account ${audience.accountId}`;
    case "team":
      return `team ${audience.teamId}`;
    case "group":
      return `group ${audience.groupId}`;
    case "device":
      return `device ${audience.deviceId}`;
  }
}
