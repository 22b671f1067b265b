import { PASSWORD, createPairing, createPasskey, createSession } from "./sign-in-resources.ts";
import { ADMINISTRATOR_ENTRIES } from "./administrator-table.ts";
import {
  createTeam,
  createDevice,
  createTarget,
  createOtherMember,
  createGroup,
  createKey,
  createTeamKey,
  createAccessToken,
  createInvitation,
  createTeamInvitation,
  createFeedItem,
  createDeletedItem,
} from "./path-parameters.ts";
import { missingId, type Stage } from "./stage.ts";

/** Expected statuses for signed-in accounts. */
interface Statuses {
  readonly owner: number;
  readonly admin: number;
  readonly member: number;
  readonly other: number;
}

/** One request to an operation, and the expected status for each caller. */
export interface AccessEntry {
  readonly operation: string;
  readonly statuses: Statuses;
  /** Returns the values of the path's parameters, in order; created for each caller. */
  readonly ids?: (stage: Stage) => Promise<readonly string[]>;
  /** Returns the request body. */
  readonly body?: (stage: Stage) => unknown;
  /** Returns another team's resource id, for a request below the caller's own team. */
  readonly foreign?: (stage: Stage) => Promise<string>;
  /** Status for an account without team or invitation; that for `other` by default. */
  readonly outside?: number;
  /** Status for a server administrator, for operations with administrator rights. */
  readonly administrator?: number;
  /** True if access tokens get 403; `admin` and `other` use them too. */
  readonly needsSession?: boolean;
  /** True if no sign-in is needed. */
  readonly isPublic?: boolean;
}

const all = (status: number): Statuses => ({
  owner: status,
  admin: status,
  member: status,
  other: status,
});
/** An account's resources look missing to other accounts, even in the same team. */
const ownerOnly = (status: number): Statuses => ({ ...all(404), owner: status });
const managersOnly = (status: number): Statuses => ({
  owner: status,
  admin: status,
  member: 403,
  other: 404,
});
/** Team keys and their notifications look missing to plain members. */
const hidden = (status: number): Statuses => ({ ...managersOnly(status), member: 404 });

const LISTS = [
  "getMe",
  "getSecurity",
  "exportMe",
  "listMyAudit",
  "listSessions",
  "listPasskeys",
  "listAccessTokens",
  "listKeys",
  "listDevices",
  "listLeftDevices",
  "listGroups",
  "listTeams",
  "listInvitations",
  "listFeed",
  "listChannels",
  "listNotifications",
  "getActivity",
  "live",
  "listTroubles",
];

let endpointCount = 0;
const KEYS = {
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};

/** Returns the body of a registration with a new endpoint. */
function newDevice({ app }: Stage) {
  endpointCount += 1;
  const endpoint = `http://127.0.0.1:${app.push.port}/push/${endpointCount}`;
  return { name: "Phone", platform: "web", push: { provider: "webpush", endpoint, keys: KEYS } };
}

/** For operations with a password: callers other than the owner send a wrong one. */
const withPassword = (status: number): Statuses => ({ ...all(400), owner: status });
const password = () => ({ password: PASSWORD });

/** Invitations look missing to everyone but the invited account. */
const invitedOnly = (status: number): Statuses => ({ ...all(404), other: status });

/** Every operation of the app API; an operation without an entry fails the test. */
export const ACCESS: readonly AccessEntry[] = [
  ...LISTS.map((operation) => ({ operation, statuses: all(200) })),
  { operation: "webPushKey", statuses: all(200), isPublic: true },
  { operation: "createAccessToken", statuses: all(201), body: () => ({ label: "phone" }) },
  { operation: "removeAccessToken", statuses: ownerOnly(204), ids: createAccessToken },
  { operation: "sendVerification", statuses: all(204) },
  { operation: "updateMe", statuses: all(200), body: () => ({ name: "Me" }) },
  {
    operation: "changeEmail",
    statuses: withPassword(204),
    body: () => ({ email: `${missingId()}@example.org`, ...password() }),
  },
  // No two-factor set-up is in progress.
  { operation: "confirmTwoFactor", statuses: all(409), body: () => ({ code: "1" }) },
  { operation: "beginTwoFactor", statuses: withPassword(200), body: password },
  { operation: "renewBackupCodes", statuses: withPassword(409), body: password },
  { operation: "endTwoFactor", statuses: withPassword(204), body: password },
  // A separate test covers a successful deletion: here it would end the owner's account.
  { operation: "deleteMe", statuses: all(400), body: () => ({ password: "wrong" }) },
  { operation: "removeSession", statuses: ownerOnly(204), ids: createSession },
  // Only a session may open another session; an access token must not become one.
  { operation: "createPairing", statuses: all(201), needsSession: true },
  { operation: "getPairing", statuses: ownerOnly(200), ids: createPairing },
  { operation: "removePairing", statuses: ownerOnly(204), ids: createPairing },
  { operation: "beginPasskey", statuses: withPassword(200), body: password },
  {
    operation: "createPasskey",
    statuses: all(400),
    body: () => ({
      name: "Key",
      credential: {
        id: "",
        rawId: "",
        type: "public-key",
        response: { clientDataJSON: "", attestationObject: "" },
      },
    }),
  },
  {
    operation: "updatePasskey",
    statuses: ownerOnly(200),
    ids: createPasskey,
    body: () => ({ name: "K" }),
  },
  { operation: "removePasskey", statuses: ownerOnly(204), ids: createPasskey },
  { operation: "createKey", statuses: all(201), body: () => ({ kind: "account" }) },
  {
    operation: "updateKey",
    statuses: ownerOnly(200),
    ids: createKey,
    body: () => ({ postOnly: true }),
  },
  {
    operation: "updateKey",
    statuses: hidden(200),
    ids: createTeamKey,
    body: () => ({ label: "K" }),
  },
  { operation: "rotateKey", statuses: ownerOnly(201), ids: createKey, body: () => ({}) },
  { operation: "rotateKey", statuses: hidden(201), ids: createTeamKey, body: () => ({}) },
  { operation: "revokeKey", statuses: ownerOnly(204), ids: createKey },
  { operation: "revokeKey", statuses: hidden(204), ids: createTeamKey },
  { operation: "registerDevice", statuses: all(201), body: newDevice },
  {
    operation: "updateDevice",
    statuses: ownerOnly(200),
    ids: createDevice,
    body: () => ({ paused: true }),
  },
  { operation: "removeDevice", statuses: ownerOnly(204), ids: createDevice },
  { operation: "testDevice", statuses: ownerOnly(200), ids: createDevice, body: () => ({}) },
  { operation: "createGroup", statuses: all(201), body: () => ({ name: "Desk", deviceIds: [] }) },
  {
    operation: "updateGroup",
    statuses: ownerOnly(200),
    ids: createGroup,
    body: () => ({ name: "Bed" }),
  },
  { operation: "removeGroup", statuses: ownerOnly(204), ids: createGroup },
  { operation: "createTeam", statuses: all(201), body: () => ({ name: "Mine" }) },
  { operation: "getTeam", statuses: { ...all(200), other: 404 }, ids: createTeam },
  {
    operation: "updateTeam",
    statuses: managersOnly(200),
    ids: createTeam,
    body: () => ({ name: "Dev" }),
  },
  { operation: "removeTeam", statuses: { ...managersOnly(204), admin: 403 }, ids: createTeam },
  {
    operation: "updateMember",
    statuses: managersOnly(200),
    ids: createTarget,
    body: () => ({ role: "admin" }),
    foreign: createOtherMember,
  },
  {
    operation: "removeMember",
    statuses: managersOnly(204),
    ids: createTarget,
    foreign: createOtherMember,
  },
  // The last owner cannot leave; to outsiders the team looks missing.
  {
    operation: "leaveTeam",
    statuses: { ...all(204), owner: 409, other: 404 },
    ids: createTeam,
    body: () => ({}),
  },
  {
    operation: "createInvitation",
    statuses: managersOnly(201),
    ids: createTeam,
    body: () => ({ email: "new@example.org" }),
  },
  {
    operation: "revokeInvitation",
    statuses: managersOnly(204),
    ids: createTeamInvitation,
    foreign: async (stage) => {
      const { id } = await stage.other.client.teams.create({ name: "Others" });
      const invitation = await stage.other.client.teams.invite(id, { email: "x@example.org" });
      return invitation.id;
    },
  },
  ...[
    { operation: "acceptInvitation", statuses: invitedOnly(200) },
    { operation: "declineInvitation", statuses: invitedOnly(204) },
  ].map((entry) => ({ ...entry, outside: 404, ids: createInvitation, body: () => ({}) })),
  ...["lookAtInvitation", "refuseInvitationMails", "allowInvitationMails"].map((operation) => ({
    operation,
    statuses: all(404),
    body: () => ({ token: missingId() }),
    isPublic: true,
  })),
  { operation: "acceptInvitationToken", statuses: all(404), body: () => ({ token: missingId() }) },
  { operation: "markRead", statuses: all(204), body: () => ({ ids: [missingId()] }) },
  { operation: "markUnread", statuses: all(204), body: () => ({ ids: [missingId()] }) },
  { operation: "getFeedItem", statuses: ownerOnly(200), ids: createFeedItem },
  { operation: "deleteFeedItem", statuses: ownerOnly(204), ids: createFeedItem },
  {
    operation: "restoreFeedItem",
    statuses: ownerOnly(204),
    ids: createDeletedItem,
    body: () => ({}),
  },
  { operation: "sendNotification", statuses: all(201), body: () => ({ title: "Hi", body: "" }) },
  {
    operation: "getNotification",
    statuses: ownerOnly(200),
    ids: async (stage) => [await stage.notification(stage.owner.key)],
  },
  {
    operation: "listDeliveries",
    statuses: ownerOnly(200),
    ids: async (stage) => [await stage.notification(stage.owner.key)],
  },
  {
    operation: "getNotification",
    statuses: hidden(200),
    ids: async (stage) => [await stage.notification((await stage.team()).key)],
  },
  {
    operation: "listDeliveries",
    statuses: hidden(200),
    ids: async (stage) => [await stage.notification((await stage.team()).key)],
  },
  { operation: "listFeedDeliveries", statuses: ownerOnly(200), ids: createFeedItem },
  {
    operation: "listFeedDeliveries",
    statuses: { ...all(200), other: 404 },
    ids: async (stage) => [await stage.notification((await stage.team()).key)],
  },
  { operation: "listTeamDevices", statuses: managersOnly(200), ids: createTeam },
  ...ADMINISTRATOR_ENTRIES,
  // Last: with an access token it ends the sessions that the other entries use.
  { operation: "removeOtherSessions", statuses: all(204) },
];
