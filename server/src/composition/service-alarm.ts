import type { PushProviderName } from "@tocsin/sdk";
import type { Logger } from "pino";
import type { ServiceChange } from "#delivery/services/breakers-deps.ts";
import type { HoldCause } from "#delivery/services/hold.ts";
import { parseProvider } from "#delivery/services/service-records.ts";

/** The remedy for rejected credentials, for the log. */
const CREDENTIAL_REMEDIES: Readonly<Record<PushProviderName, string>> = {
  apns: "Check TOCSIN_APNS_KEY, TOCSIN_APNS_KEY_ID, TOCSIN_APNS_TEAM_ID, TOCSIN_APNS_TOPIC and this machine's clock, then start again; `tocsin doctor` says what is wrong.",
  fcm: "Check TOCSIN_FCM_CREDENTIALS, the Firebase project and this machine's clock, then start again; `tocsin doctor` says what is wrong.",
  webpush:
    "Check TOCSIN_VAPID_SUBJECT, TOCSIN_BASE_URL and this machine's clock; `tocsin doctor` says what is wrong.",
};

/**
 * Returns a listener that reports to the operator when a push service is held or suspected, and when it is released,
 * once each time.
 */
export function createServiceAlarm(log: Logger): (change: ServiceChange) => void {
  return ({ service, kind, hold }) => {
    const facts = { service, cause: hold.cause, reason: hold.reason.detail };
    if (kind === "released") {
      log.info(facts, "a push service accepts messages again; its waiting notifications are sent");
      return;
    }
    const factsWithRemedy = { ...facts, mend: CREDENTIAL_REMEDIES[parseProvider(service)] };
    if (kind === "suspected") log.error(factsWithRemedy, SUSPECTED_MESSAGE);
    else if (hold.cause === "credentials") log.error(factsWithRemedy, HOLD_MESSAGES.credentials);
    else log.warn(facts, HOLD_MESSAGES[hold.cause]);
  };
}

const SUSPECTED_MESSAGE =
  "a push service refuses all messages and has accepted none lately; its devices wait until this is fixed";

const HOLD_MESSAGES: Readonly<Record<HoldCause, string>> = {
  credentials:
    "a push service refuses this server's credentials; its notifications are kept until this is fixed",
  failing: "a push service fails; its notifications are kept until it responds again",
  throttled: "a push service asked this server to slow down; its notifications wait",
};
