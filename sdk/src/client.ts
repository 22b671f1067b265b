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
import { appApiOf } from "./operations/app-api.ts";
import { deviceOperations } from "./operations/devices.ts";
import { channelOperations, feedOperations, notificationOperations } from "./operations/feed.ts";
import { groupOperations } from "./operations/groups.ts";
import { invitationOperations } from "./operations/invitations.ts";
import { keyOperations } from "./operations/keys.ts";
import { managementOperations } from "./operations/management.ts";
import { pairingOperations, pairOperations } from "./operations/pairings.ts";
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

/** Everything one Tocsin server can be asked. */
export type Client = ReturnType<typeof createClient>;

/**
 * Returns a client of one server; nothing is sent before the first operation.
 * Every operation rejects with a TocsinError for an answer that refuses, a TocsinConnectionError where none came, and the
 * reason of its own `signal`. Throws a TypeError for an address or a number that cannot work.
 */
export function createClient(options: ClientOptions) {
  const server = parseServer(options);
  const app = appApiOf(server);
  return {
    ...sendOperations(server),
    ...sessionOperations(server),
    ...signInOperations(server),
    ...linkOperations(server),
    ...pairOperations(server),
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
     * Yields what happens from now on, or since `lastEventId`, until the signal aborts; a lost stream is taken up again.
     * Throws what the first connection fails with, and later what waiting cannot mend, such as an ended session.
     */
    live: (options: LiveOptions = {}): AsyncGenerator<LiveEvent, void> => live(server, options),

    /** Returns what was sent over some days, and what became of it. */
    activity: (query: ActivityQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "activity", path: ["activity"], query }),

    /** Returns the push services in trouble by which one's own notifications are late; to an administrator all. */
    troubles: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "troubles", path: ["troubles"] }),

    /** Returns the account that is signed in. */
    me: (options: CallOptions = {}) => app.get({ ...options, operation: "me", path: ["me"] }),

    /** Returns the key that a browser subscribes with. */
    webPushKey: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "webPushKey", path: ["webpush", "key"] }),
  };
}
