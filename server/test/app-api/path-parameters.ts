import { memberIdOf } from "../support/membership.ts";
import type { Stage } from "./stage.ts";

/** Creates a team; returns its id, as path parameters. */
export const createTeam = async (stage: Stage) => [(await stage.team()).id];

/** Registers a device of the owner; returns its id, as path parameters. */
export const createDevice = async (stage: Stage) => [(await stage.device()).id];

/** Creates a team; returns its id and the member id of `target`, as path parameters. */
export const createTarget = async (stage: Stage) => {
  const { id } = await stage.team();
  return [id, await memberIdOf(stage.owner, id, stage.target)];
};

/** Returns the member id of `other` in their own team. */
export const createOtherMember = async ({ other }: Stage) => {
  const { id } = await other.client.teams.create({ name: "Others" });
  return memberIdOf(other, id, other);
};

/** Creates a device group of the owner; returns its id, as path parameters. */
export const createGroup = async ({ owner }: Stage) => {
  const { id } = await owner.client.groups.create({ name: "Desk", deviceIds: [] });
  return [id];
};

/** Creates an account key of the owner; returns its id, as path parameters. */
export const createKey = async ({ owner }: Stage) => [
  (await owner.client.keys.create({ kind: "account" })).id,
];

/** Creates a team key; returns its id, as path parameters. */
export const createTeamKey = async (stage: Stage) => {
  const { id } = await stage.team();
  return [(await stage.owner.client.keys.create({ kind: "team", teamId: id })).id];
};

/** Creates an access token of the owner; returns its id, as path parameters. */
export const createAccessToken = async ({ owner }: Stage) => [
  (await owner.client.accessTokens.create({ label: "phone" })).id,
];

/** Invites `other` to a team of the owner; returns the invitation id, as path parameters. */
export const createInvitation = async (stage: Stage) => [(await stage.invitation(stage.owner)).id];

/** Invites `other` as the admin; returns the ids of the team and the invitation, as path parameters. */
export const createTeamInvitation = async (stage: Stage) => {
  const invitation = await stage.invitation(stage.admin);
  return [invitation.teamId, invitation.id];
};

/** Sends a notification to the owner; returns its id, as path parameters. */
export const createFeedItem = async (stage: Stage) => [await stage.notification(stage.owner.key)];

/** Sends a notification to the owner and deletes it from the feed; returns its id, as path parameters. */
export const createDeletedItem = async (stage: Stage) => {
  const id = await stage.notification(stage.owner.key);
  await stage.owner.client.feed.remove(id);
  return [id];
};
