import { PASSWORD, createPairing, createPasskey, createSession } from "./sign-in-resources.ts";
import { KEY_ENTRIES } from "./key-table.ts";
import { ADMINISTRATOR_ENTRIES } from "./administrator-table.ts";
import { DEVICE_ENTRIES } from "./device-table.ts";
import { POLICY_ENTRIES } from "./policy-table.ts";
import {
  createTeam,
  createTeamWithTarget,
  createForeignMember,
  createGroup,
  createAccessToken,
  createInvitation,
  createTeamInvitation,
  createFeedItem,
  createDeletedItem,
} from "./path-parameters.ts";
import { INCIDENT_ENTRIES } from "./incident-table.ts";
import { PROMPT_ENTRIES } from "./prompt-table.ts";
import { createMissingId, type AppFixture } from "./app-fixture.ts";
import {
  expectEveryone,
  expectHiddenFromMembers,
  expectInvited,
  expectManagers,
  expectOwner,
  expectPassword,
  type ExpectedStatuses,
} from "./expected-statuses.ts";

/** A request to an operation, and the expected status for each caller. */
export interface AccessEntry {
  readonly operation: string;
  readonly statuses: ExpectedStatuses;
  /** Creates the resources of the path and returns their ids, in the path's order. `ResourceIds` calls it. */
  readonly createIds?: (fixture: AppFixture) => Promise<readonly string[]>;
  /** Creates the request body. */
  readonly createBody?: (fixture: AppFixture) => unknown;
  /** Creates a resource of another team and returns its id. A request sends it with the id of the caller's own team. */
  readonly createForeignId?: (fixture: AppFixture) => Promise<string>;
  /** Status for an account without a team or an invitation. Defaults to the status for `other`. */
  readonly outsiderStatus?: number;
  /** Status for a server administrator, for operations with administrator rights. */
  readonly administratorStatus?: number;
  /** Whether requests with an access token get 403. `admin` and `other` use access tokens too. */
  readonly needsSession?: boolean;
  /** Whether the operation needs no sign-in. */
  readonly isPublic?: boolean;
}

const READ_OPERATIONS = [
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
  "listDialects",
];

/** Operations with the token of a link. */
const PUBLIC_LINK_OPERATIONS = [
  "lookAtInvitation",
  "refuseInvitationMails",
  "allowInvitationMails",
  "lookAtActLink",
  "actByLink",
];

const createPasswordBody = () => ({ password: PASSWORD });

/** Every operation of the app API; `access.test.ts` fails for an operation without an entry. */
export const ACCESS: readonly AccessEntry[] = [
  ...READ_OPERATIONS.map((operation) => ({ operation, statuses: expectEveryone(200) })),
  { operation: "webPushKey", statuses: expectEveryone(200), isPublic: true },
  {
    operation: "createAccessToken",
    statuses: expectEveryone(201),
    createBody: () => ({ label: "phone" }),
  },
  { operation: "removeAccessToken", statuses: expectOwner(204), createIds: createAccessToken },
  { operation: "sendVerification", statuses: expectEveryone(204) },
  { operation: "updateMe", statuses: expectEveryone(200), createBody: () => ({ name: "Me" }) },
  {
    operation: "changeEmail",
    statuses: expectPassword(204),
    createBody: () => ({ email: `${createMissingId()}@example.org`, ...createPasswordBody() }),
  },
  // No two-factor set-up is in progress.
  {
    operation: "confirmTwoFactor",
    statuses: expectEveryone(409),
    createBody: () => ({ code: "1" }),
  },
  { operation: "beginTwoFactor", statuses: expectPassword(200), createBody: createPasswordBody },
  { operation: "renewBackupCodes", statuses: expectPassword(409), createBody: createPasswordBody },
  { operation: "endTwoFactor", statuses: expectPassword(204), createBody: createPasswordBody },
  // A separate test covers a successful deletion: here it would end the owner's account.
  {
    operation: "deleteMe",
    statuses: expectEveryone(400),
    createBody: () => ({ password: "wrong" }),
  },
  { operation: "removeSession", statuses: expectOwner(204), createIds: createSession },
  // Only a session may open another session: an access token must not be turned into one.
  { operation: "createPairing", statuses: expectEveryone(201), needsSession: true },
  { operation: "getPairing", statuses: expectOwner(200), createIds: createPairing },
  { operation: "removePairing", statuses: expectOwner(204), createIds: createPairing },
  { operation: "beginPasskey", statuses: expectPassword(200), createBody: createPasswordBody },
  {
    operation: "createPasskey",
    statuses: expectEveryone(400),
    createBody: () => ({
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
    statuses: expectOwner(200),
    createIds: createPasskey,
    createBody: () => ({ name: "K" }),
  },
  { operation: "removePasskey", statuses: expectOwner(204), createIds: createPasskey },
  ...KEY_ENTRIES,
  ...DEVICE_ENTRIES,
  {
    operation: "createGroup",
    statuses: expectEveryone(201),
    createBody: () => ({ name: "Desk", deviceIds: [] }),
  },
  {
    operation: "updateGroup",
    statuses: expectOwner(200),
    createIds: createGroup,
    createBody: () => ({ name: "Bed" }),
  },
  { operation: "removeGroup", statuses: expectOwner(204), createIds: createGroup },
  { operation: "createTeam", statuses: expectEveryone(201), createBody: () => ({ name: "Mine" }) },
  { operation: "getTeam", statuses: { ...expectEveryone(200), other: 404 }, createIds: createTeam },
  {
    operation: "updateTeam",
    statuses: expectManagers(200),
    createIds: createTeam,
    createBody: () => ({ name: "Dev" }),
  },
  {
    operation: "removeTeam",
    statuses: { ...expectManagers(204), admin: 403 },
    createIds: createTeam,
  },
  {
    operation: "updateMember",
    statuses: expectManagers(200),
    createIds: createTeamWithTarget,
    createBody: () => ({ role: "admin" }),
    createForeignId: createForeignMember,
  },
  {
    operation: "removeMember",
    statuses: expectManagers(204),
    createIds: createTeamWithTarget,
    createForeignId: createForeignMember,
  },
  // The last owner cannot leave; to outsiders the team looks missing.
  {
    operation: "leaveTeam",
    statuses: { ...expectEveryone(204), owner: 409, other: 404 },
    createIds: createTeam,
    createBody: () => ({}),
  },
  {
    operation: "createInvitation",
    statuses: expectManagers(201),
    createIds: createTeam,
    createBody: () => ({ email: "new@example.org" }),
  },
  {
    operation: "revokeInvitation",
    statuses: expectManagers(204),
    createIds: createTeamInvitation,
    createForeignId: async (fixture) => {
      const { id } = await fixture.other.client.teams.create({ name: "Others" });
      const invitation = await fixture.other.client.teams.invite(id, { email: "x@example.org" });
      return invitation.id;
    },
  },
  ...[
    { operation: "acceptInvitation", statuses: expectInvited(200) },
    { operation: "declineInvitation", statuses: expectInvited(204) },
  ].map((entry) => ({
    ...entry,
    outsiderStatus: 404,
    createIds: createInvitation,
    createBody: () => ({}),
  })),
  ...PUBLIC_LINK_OPERATIONS.map((operation) => ({
    operation,
    statuses: expectEveryone(404),
    createBody: () => ({ token: createMissingId() }),
    isPublic: true,
  })),
  {
    operation: "acceptInvitationToken",
    statuses: expectEveryone(404),
    createBody: () => ({ token: createMissingId() }),
  },
  {
    operation: "markRead",
    statuses: expectEveryone(204),
    createBody: () => ({ ids: [createMissingId()] }),
  },
  {
    operation: "markUnread",
    statuses: expectEveryone(204),
    createBody: () => ({ ids: [createMissingId()] }),
  },
  { operation: "getFeedItem", statuses: expectOwner(200), createIds: createFeedItem },
  { operation: "deleteFeedItem", statuses: expectOwner(204), createIds: createFeedItem },
  {
    operation: "restoreFeedItem",
    statuses: expectOwner(204),
    createIds: createDeletedItem,
    createBody: () => ({}),
  },
  {
    operation: "sendNotification",
    statuses: expectEveryone(201),
    createBody: () => ({ title: "Hi", body: "" }),
  },
  {
    operation: "getNotification",
    statuses: expectOwner(200),
    createIds: async (fixture) => [await fixture.sendNotification(fixture.owner.key)],
  },
  {
    operation: "listDeliveries",
    statuses: expectOwner(200),
    createIds: async (fixture) => [await fixture.sendNotification(fixture.owner.key)],
  },
  {
    operation: "getNotification",
    statuses: expectHiddenFromMembers(200),
    createIds: async (fixture) => [
      await fixture.sendNotification((await fixture.createTeam()).key),
    ],
  },
  {
    operation: "listDeliveries",
    statuses: expectHiddenFromMembers(200),
    createIds: async (fixture) => [
      await fixture.sendNotification((await fixture.createTeam()).key),
    ],
  },
  { operation: "listFeedDeliveries", statuses: expectOwner(200), createIds: createFeedItem },
  {
    operation: "listFeedDeliveries",
    statuses: { ...expectEveryone(200), other: 404 },
    createIds: async (fixture) => [
      await fixture.sendNotification((await fixture.createTeam()).key),
    ],
  },
  { operation: "listTeamDevices", statuses: expectManagers(200), createIds: createTeam },
  ...INCIDENT_ENTRIES,
  ...PROMPT_ENTRIES,
  ...POLICY_ENTRIES,
  ...ADMINISTRATOR_ENTRIES,
  // Must be last: with an access token, it ends the sessions that the other entries use.
  { operation: "removeOtherSessions", statuses: expectEveryone(204) },
];
