import { memberIdOf } from "../support/membership.ts";
import { PASSWORD, pairingId, passkeyId, sessionId } from "./sign-in-things.ts";
import { FOR_ADMINISTRATORS } from "./administrators-table.ts";
import { missingId, type Stage } from "./stage.ts";

/** The statuses that those who are signed in get. */
interface Statuses {
  readonly owner: number;
  readonly admin: number;
  readonly member: number;
  readonly other: number;
}

/** One way to ask an operation, and who may. */
export interface Entry {
  readonly operation: string;
  readonly statuses: Statuses;
  /** Values of the path's parameters, in order; made anew for each caller. */
  readonly ids?: (stage: Stage) => Promise<readonly string[]>;
  /** The body, given an id that nobody else may use. */
  readonly body?: (stage: Stage) => unknown;
  /** The last id of the path as somebody else's thing, under a team of one's own. */
  readonly foreign?: (stage: Stage) => Promise<string>;
  /** The status for an account without team or invitation, where it differs from `other`. */
  readonly outside?: number;
  /** The status for an administrator of the server, where an administrator may more than others. */
  readonly administrator?: number;
  /** Access tokens, which the admin and the other ask with too, get 403. */
  readonly isForSessions?: boolean;
  /** Answered to everybody, signed in or not. */
  readonly isPublic?: boolean;
}

const all = (status: number): Statuses => ({
  owner: status,
  admin: status,
  member: status,
  other: status,
});
/** An account's own things do not exist for others, not even in the same team. */
const own = (status: number): Statuses => ({ ...all(404), owner: status });
const managers = (status: number): Statuses => ({
  owner: status,
  admin: status,
  member: 403,
  other: 404,
});
/** Of team keys and their notifications, plain members know nothing. */
const hidden = (status: number): Statuses => ({ ...managers(status), member: 404 });

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

let endpoints = 0;
const KEYS = {
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};

/** The body of a registration with an address of its own. */
function newDevice({ app }: Stage) {
  endpoints += 1;
  const endpoint = `http://127.0.0.1:${app.push.port}/push/${endpoints}`;
  return { name: "Phone", platform: "web", push: { provider: "webpush", endpoint, keys: KEYS } };
}

const teamId = async (stage: Stage) => [(await stage.team()).id];
const deviceId = async (stage: Stage) => [(await stage.device()).id];
const targetId = async (stage: Stage) => {
  const { id } = await stage.team();
  return [id, await memberIdOf(stage.owner, id, stage.target)];
};
/** The member id of the other in a team of their own. */
const othersMemberId = async ({ other }: Stage) => {
  const { id } = await other.client.teams.create({ name: "Others" });
  return memberIdOf(other, id, other);
};
const groupId = async ({ owner }: Stage) => {
  const { id } = await owner.client.groups.create({ name: "Desk", deviceIds: [] });
  return [id];
};
const keyId = async ({ owner }: Stage) => [
  (await owner.client.keys.create({ kind: "account" })).id,
];
const teamKeyId = async (stage: Stage) => {
  const { id } = await stage.team();
  return [(await stage.owner.client.keys.create({ kind: "team", teamId: id })).id];
};
const accessTokenId = async ({ owner }: Stage) => [
  (await owner.client.accessTokens.create({ label: "phone" })).id,
];
const invitationId = async (stage: Stage) => [(await stage.invitation(stage.owner)).id];
const teamInvitationId = async (stage: Stage) => {
  const invitation = await stage.invitation(stage.admin);
  return [invitation.teamId, invitation.id];
};
const feedItemId = async (stage: Stage) => [await stage.notification(stage.owner.key)];
const deletedItemId = async (stage: Stage) => {
  const id = await stage.notification(stage.owner.key);
  await stage.owner.client.feed.remove(id);
  return [id];
};
/** Where the password is asked, others than the owner give a wrong one. */
const withPassword = (status: number): Statuses => ({ ...all(400), owner: status });
const password = () => ({ password: PASSWORD });

/** Invitations exist for those who are invited alone. */
const invited = (status: number): Statuses => ({ ...all(404), other: status });

/** Every operation of the app API; an operation without an entry fails the test. */
export const ACCESS: readonly Entry[] = [
  ...LISTS.map((operation) => ({ operation, statuses: all(200) })),
  { operation: "webPushKey", statuses: all(200), isPublic: true },
  { operation: "createAccessToken", statuses: all(201), body: () => ({ label: "phone" }) },
  { operation: "removeAccessToken", statuses: own(204), ids: accessTokenId },
  { operation: "sendVerification", statuses: all(204) },
  { operation: "updateMe", statuses: all(200), body: () => ({ name: "Me" }) },
  {
    operation: "changeEmail",
    statuses: withPassword(204),
    body: () => ({ email: `${missingId()}@example.org`, ...password() }),
  },
  // Nobody has begun yet.
  { operation: "confirmTwoFactor", statuses: all(409), body: () => ({ code: "1" }) },
  { operation: "beginTwoFactor", statuses: withPassword(200), body: password },
  { operation: "renewBackupCodes", statuses: withPassword(409), body: password },
  { operation: "endTwoFactor", statuses: withPassword(204), body: password },
  // The owner's end is a test of its own: afterwards there would be nobody to ask.
  { operation: "deleteMe", statuses: all(400), body: () => ({ password: "wrong" }) },
  { operation: "removeSession", statuses: own(204), ids: sessionId },
  // A browser vouches for another one; a program must not become a session.
  { operation: "createPairing", statuses: all(201), isForSessions: true },
  { operation: "getPairing", statuses: own(200), ids: pairingId },
  { operation: "removePairing", statuses: own(204), ids: pairingId },
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
  { operation: "updatePasskey", statuses: own(200), ids: passkeyId, body: () => ({ name: "K" }) },
  { operation: "removePasskey", statuses: own(204), ids: passkeyId },
  { operation: "createKey", statuses: all(201), body: () => ({ kind: "account" }) },
  { operation: "updateKey", statuses: own(200), ids: keyId, body: () => ({ postOnly: true }) },
  { operation: "updateKey", statuses: hidden(200), ids: teamKeyId, body: () => ({ label: "K" }) },
  { operation: "rotateKey", statuses: own(201), ids: keyId, body: () => ({}) },
  { operation: "rotateKey", statuses: hidden(201), ids: teamKeyId, body: () => ({}) },
  { operation: "revokeKey", statuses: own(204), ids: keyId },
  { operation: "revokeKey", statuses: hidden(204), ids: teamKeyId },
  { operation: "registerDevice", statuses: all(201), body: newDevice },
  { operation: "updateDevice", statuses: own(200), ids: deviceId, body: () => ({ paused: true }) },
  { operation: "removeDevice", statuses: own(204), ids: deviceId },
  { operation: "testDevice", statuses: own(200), ids: deviceId, body: () => ({}) },
  { operation: "createGroup", statuses: all(201), body: () => ({ name: "Desk", deviceIds: [] }) },
  { operation: "updateGroup", statuses: own(200), ids: groupId, body: () => ({ name: "Bed" }) },
  { operation: "removeGroup", statuses: own(204), ids: groupId },
  { operation: "createTeam", statuses: all(201), body: () => ({ name: "Mine" }) },
  { operation: "getTeam", statuses: { ...all(200), other: 404 }, ids: teamId },
  { operation: "updateTeam", statuses: managers(200), ids: teamId, body: () => ({ name: "Dev" }) },
  { operation: "removeTeam", statuses: { ...managers(204), admin: 403 }, ids: teamId },
  {
    operation: "updateMember",
    statuses: managers(200),
    ids: targetId,
    body: () => ({ role: "admin" }),
    foreign: othersMemberId,
  },
  {
    operation: "removeMember",
    statuses: managers(204),
    ids: targetId,
    foreign: othersMemberId,
  },
  // The last owner stays; for others a team they are not in is no team.
  {
    operation: "leaveTeam",
    statuses: { ...all(204), owner: 409, other: 404 },
    ids: teamId,
    body: () => ({}),
  },
  {
    operation: "createInvitation",
    statuses: managers(201),
    ids: teamId,
    body: () => ({ email: "new@example.org" }),
  },
  {
    operation: "revokeInvitation",
    statuses: managers(204),
    ids: teamInvitationId,
    foreign: async (stage) => {
      const { id } = await stage.other.client.teams.create({ name: "Others" });
      const invitation = await stage.other.client.teams.invite(id, { email: "x@example.org" });
      return invitation.id;
    },
  },
  ...[
    { operation: "acceptInvitation", statuses: invited(200) },
    { operation: "declineInvitation", statuses: invited(204) },
  ].map((entry) => ({ ...entry, outside: 404, ids: invitationId, body: () => ({}) })),
  ...["lookAtInvitation", "refuseInvitationMails", "allowInvitationMails"].map((operation) => ({
    operation,
    statuses: all(404),
    body: () => ({ token: missingId() }),
    isPublic: true,
  })),
  { operation: "acceptInvitationToken", statuses: all(404), body: () => ({ token: missingId() }) },
  { operation: "markRead", statuses: all(204), body: () => ({ ids: [missingId()] }) },
  { operation: "markUnread", statuses: all(204), body: () => ({ ids: [missingId()] }) },
  { operation: "getFeedItem", statuses: own(200), ids: feedItemId },
  { operation: "deleteFeedItem", statuses: own(204), ids: feedItemId },
  { operation: "restoreFeedItem", statuses: own(204), ids: deletedItemId, body: () => ({}) },
  { operation: "sendNotification", statuses: all(201), body: () => ({ title: "Hi", body: "" }) },
  {
    operation: "getNotification",
    statuses: own(200),
    ids: async (stage) => [await stage.notification(stage.owner.key)],
  },
  {
    operation: "listDeliveries",
    statuses: own(200),
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
  { operation: "listFeedDeliveries", statuses: own(200), ids: feedItemId },
  {
    operation: "listFeedDeliveries",
    statuses: { ...all(200), other: 404 },
    ids: async (stage) => [await stage.notification((await stage.team()).key)],
  },
  { operation: "listTeamDevices", statuses: managers(200), ids: teamId },
  ...FOR_ADMINISTRATORS,
  // The last: by an access token it ends the session that others of this list ask with.
  { operation: "removeOtherSessions", statuses: all(204) },
];
