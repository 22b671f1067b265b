import type { ActivityQuery } from "./activity.ts";
import type { LiveEvent } from "./feed.ts";
import { live } from "./live.ts";
import type { LiveOptions } from "./live.ts";
import {
  accessTokenOperations,
  linkOperations,
  sessionOperations,
  signInOperations,
} from "./operations/account.ts";
import { administrationOperations } from "./operations/administration.ts";
import { createAppApi } from "./operations/app-api.ts";
import { deviceOperations } from "./operations/devices.ts";
import { channelOperations, feedOperations, notificationOperations } from "./operations/feed.ts";
import { groupOperations } from "./operations/groups.ts";
import { invitationOperations } from "./operations/invitations.ts";
import { keyOperations } from "./operations/keys.ts";
import { managementOperations } from "./operations/management.ts";
import { pairingOperations, redeemPairingOperations } from "./operations/pairings.ts";
import {
  accountSessionOperations,
  passkeyOperations,
  profileOperations,
  twoFactorOperations,
} from "./operations/security.ts";
import { sendOperations } from "./operations/send.ts";
import { teamOperations } from "./operations/teams.ts";
import type { CallOptions } from "./request.ts";
import { parseServer } from "./server.ts";
import type { ClientOptions } from "./server.ts";

/** All operations of one Tocsin server. */
export type Client = ReturnType<typeof createClient>;

/**
 * Returns a client of one server; it sends nothing before the first operation. An operation rejects with a TocsinError
 * if the server refuses it, with a TocsinConnectionError if no response arrives, and with the reason of its `signal` if
 * that aborts. Throws a TypeError for an invalid base URL, timeout or number of retries.
 */
export function createClient(options: ClientOptions) {
  const server = parseServer(options);
  const app = createAppApi(server);
  return {
    ...sendOperations(server),
    ...sessionOperations(server),
    ...signInOperations(server),
    ...linkOperations(server),
    ...redeemPairingOperations(server),
    management: managementOperations(server),
    profile: profileOperations(server, app),
    twoFactor: twoFactorOperations(app),
    passkeys: passkeyOperations(app),
    sessions: accountSessionOperations(app),
    pairings: pairingOperations(app),
    accessTokens: accessTokenOperations(app),
    keys: keyOperations(app),
    devices: deviceOperations(app),
    groups: groupOperations(app),
    teams: teamOperations(app),
    invitations: invitationOperations(app),
    feed: feedOperations(app),
    channels: channelOperations(app),
    notifications: notificationOperations(app),
    admin: administrationOperations(app),

    /**
     * Yields events from now on, or since `lastEventId`, until the signal aborts; reconnects a lost stream. Throws if
     * the first connection fails, and later only for errors that no retry can fix, such as an ended session.
     */
    live: (options: LiveOptions = {}): AsyncGenerator<LiveEvent, void> => live(server, options),

    /** Returns the notifications sent over a period, with their results. */
    activity: (query: ActivityQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "activity", path: ["activity"], query }),

    /** Returns the push services with problems that affect the account's devices; for administrators, all of them. */
    troubles: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "troubles", path: ["troubles"] }),

    /** Returns the signed-in account. */
    me: (options: CallOptions = {}) => app.get({ ...options, operation: "me", path: ["me"] }),

    /** Returns the public key that a browser needs for a Web Push subscription. */
    webPushKey: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "webPushKey", path: ["webpush", "key"] }),
  };
}
