import type { ApnsEnvironment } from "./environment.ts";

/** A response of Apple that does not accept our credential. */
export interface CredentialRefusal {
  /** Apple's reason for refusing our credential; null for an unknown reason. */
  readonly reason: string | null;
  readonly environment: ApnsEnvironment;
  /** The `date` header of the response, if it has one. */
  readonly date: string | string[] | undefined;
  readonly now: number;
}

/** Apple's reasons for a key that is restricted to the other environment. Both spellings have been observed. */
export const RESTRICTED_KEY_REASONS: ReadonlySet<string | null> = new Set([
  "BadEnvironmentKeyIdInToken",
  "BadEnvironmentKeyInToken",
]);

const MINUTE_MS = 60 * 1000;
/**
 * The tolerated clock error. Apple refuses a token at once if this server's clock is ahead, and also if it is an hour
 * behind.
 */
const SKEW_MAX_MS = 5 * MINUTE_MS;

/** Returns one sentence on how an operator fixes a refused credential. */
export function getAdvice(refusal: CredentialRefusal): string {
  const { reason, environment } = refusal;
  if (RESTRICTED_KEY_REASONS.has(reason)) {
    return `The key is restricted to the other environment: for devices of ${environment}, use a key that allows it.`;
  }
  switch (reason) {
    case "ExpiredProviderToken":
      return (
        getClockAdvice(refusal) ?? "Set the clock of this server: Apple finds it hours behind."
      );
    case "InvalidProviderToken":
      return (
        getClockAdvice(refusal) ??
        "Check that TOCSIN_APNS_KEY, TOCSIN_APNS_KEY_ID and TOCSIN_APNS_TEAM_ID belong together, that the key is not revoked, and the clock of this server."
      );
    case "BadTopic":
    case "MissingTopic":
    case "DeviceTokenNotForTopic":
      return "Set TOCSIN_APNS_TOPIC to the bundle id of the app.";
    case "TopicDisallowed":
      return "Set TOCSIN_APNS_TOPIC to the bundle id of an app that the key may send to.";
    case null:
    default:
      return "Check in Apple's developer account that the key may send push notifications for the app.";
  }
}

/** Returns advice to set the clock; null if Apple's clock is unknown or agrees with ours. */
function getClockAdvice({ date, now }: CredentialRefusal): string | null {
  const appleTimeMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
  const skewMs = now - appleTimeMs;
  if (Number.isNaN(skewMs) || Math.abs(skewMs) <= SKEW_MAX_MS) return null;
  const minutes = Math.round(Math.abs(skewMs) / MINUTE_MS);
  return `Set the clock of this server: it is ${minutes} minutes ${skewMs > 0 ? "ahead" : "behind"}.`;
}
