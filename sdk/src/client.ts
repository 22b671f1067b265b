import type { ActivityQuery } from "./activity.ts";
import type { LiveEvent } from "./feed.ts";
import { streamLiveEvents, type LiveOptions } from "./live.ts";
import {
  createAccessTokenOperations,
  createLinkOperations,
  createSessionOperations,
  createSignInOperations,
} from "./operations/account.ts";
import { createAdministrationOperations } from "./operations/administration.ts";
import { createAppApi } from "./operations/app-api.ts";
import { createActOperation, createDeviceOperations } from "./operations/devices.ts";
import { createEscalationPolicyOperations } from "./operations/escalation-policies.ts";
import {
  createChannelOperations,
  createFeedOperations,
  createNotificationOperations,
} from "./operations/feed.ts";
import { createGroupOperations } from "./operations/groups.ts";
import { createIncidentOperations, createReceiptOperations } from "./operations/incidents.ts";
import { createInvitationOperations } from "./operations/invitations.ts";
import { createKeyOperations } from "./operations/keys.ts";
import { createManagementOperations } from "./operations/management.ts";
import { createPairingOperations, createRedeemPairingOperations } from "./operations/pairings.ts";
import { createAskedPromptOperations, createPromptOperations } from "./operations/prompts.ts";
import {
  createAccountSessionOperations,
  createPasskeyOperations,
  createProfileOperations,
  createTwoFactorOperations,
} from "./operations/security.ts";
import { createSendOperations } from "./operations/send.ts";
import { createTeamOperations } from "./operations/teams.ts";
import type { CallOptions } from "./request.ts";
import { parseClientOptions, type ClientOptions } from "./server.ts";

/** All operations of one Tocsin server. */
export type Client = ReturnType<typeof createClient>;

/**
 * Returns a client of one server; it sends nothing before the first operation. An operation rejects with a TocsinError
 * if the server refuses it, with a TocsinConnectionError if no response arrives, and with the reason of its `signal` if
 * that aborts. Throws a TypeError for an invalid base URL, timeout or number of retries.
 */
export function createClient(options: ClientOptions) {
  const server = parseClientOptions(options);
  const app = createAppApi(server);
  return {
    ...createSendOperations(server),
    ...createSessionOperations(server),
    ...createSignInOperations(server),
    ...createLinkOperations(server),
    ...createRedeemPairingOperations(server),
    ...createActOperation(server),
    management: createManagementOperations(server),
    profile: createProfileOperations(server, app),
    twoFactor: createTwoFactorOperations(app),
    passkeys: createPasskeyOperations(app),
    sessions: createAccountSessionOperations(app),
    pairings: createPairingOperations(app),
    accessTokens: createAccessTokenOperations(app),
    keys: createKeyOperations(app),
    devices: createDeviceOperations(app),
    groups: createGroupOperations(app),
    escalationPolicies: createEscalationPolicyOperations(app),
    teams: createTeamOperations(app),
    invitations: createInvitationOperations(app),
    incidents: createIncidentOperations(app),
    receipts: createReceiptOperations(server),
    prompts: createPromptOperations(app),
    askedPrompts: createAskedPromptOperations(server),
    feed: createFeedOperations(app),
    channels: createChannelOperations(app),
    notifications: createNotificationOperations(app),
    admin: createAdministrationOperations(app),

    /**
     * Yields events from now on, or since `lastEventId`, until the signal aborts; reconnects a lost stream. Throws if
     * the first connection fails, and later only for errors that no retry can fix, such as an ended session.
     */
    live: (options: LiveOptions = {}): AsyncGenerator<LiveEvent, void> =>
      streamLiveEvents(server, options),

    /** Returns the notifications sent over a period, with their results. */
    activity: (query: ActivityQuery = {}, options: CallOptions = {}) =>
      app.get({ ...options, operation: "activity", path: ["activity"], query }),

    /**
     * Returns the push services with problems that the account's devices use. Administrators also see every other
     * push service of a vendor, or that the operator listed, with problems.
     */
    troubles: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "troubles", path: ["troubles"] }),

    /** Returns the signed-in account. */
    me: (options: CallOptions = {}) => app.get({ ...options, operation: "me", path: ["me"] }),

    /** Returns the public key that a browser needs for a Web Push subscription. */
    webPushKey: (options: CallOptions = {}) =>
      app.get({ ...options, operation: "webPushKey", path: ["webpush", "key"] }),
  };
}
