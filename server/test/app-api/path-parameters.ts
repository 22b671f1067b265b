import { findMemberId } from "../support/team-members.ts";
import type { AppFixture } from "./app-fixture.ts";

/** Creates a team; returns its id, as path parameters. */
export const createTeam = async (fixture: AppFixture) => [(await fixture.createTeam()).id];

/** Registers a device of the owner; returns its id, as path parameters. */
export const createDevice = async (fixture: AppFixture) => [(await fixture.registerDevice()).id];

/** Creates a team; returns its id and the account id of `target`, as path parameters. */
export const createTeamWithTarget = async (fixture: AppFixture) => {
  const { id } = await fixture.createTeam();
  return [id, await findMemberId(fixture.owner, id, fixture.target)];
};

/** Creates a team of `other`; returns the account id of its member. */
export const createForeignMember = async ({ other }: AppFixture) => {
  const { id } = await other.client.teams.create({ name: "Others" });
  return findMemberId(other, id, other);
};

/** Creates a device group of the owner; returns its id, as path parameters. */
export const createGroup = async ({ owner }: AppFixture) => {
  const { id } = await owner.client.groups.create({ name: "Desk", deviceIds: [] });
  return [id];
};

/** Creates an account key of the owner; returns its id, as path parameters. */
export const createKey = async ({ owner }: AppFixture) => [
  (await owner.client.keys.create({ kind: "account" })).id,
];

/** Creates a team key; returns its id, as path parameters. */
export const createTeamKey = async (fixture: AppFixture) => {
  const { id } = await fixture.createTeam();
  return [(await fixture.owner.client.keys.create({ kind: "team", teamId: id })).id];
};

/** Creates an access token of the owner; returns its id, as path parameters. */
export const createAccessToken = async ({ owner }: AppFixture) => [
  (await owner.client.accessTokens.create({ label: "phone" })).id,
];

/** Invites `other` to a team of the owner; returns the invitation id, as path parameters. */
export const createInvitation = async (fixture: AppFixture) => [
  (await fixture.createInvitation(fixture.owner)).id,
];

/** Invites `other` as the admin; returns the ids of the team and the invitation, as path parameters. */
export const createTeamInvitation = async (fixture: AppFixture) => {
  const invitation = await fixture.createInvitation(fixture.admin);
  return [invitation.teamId, invitation.id];
};

/** Sends a notification to the owner; returns its id, as path parameters. */
export const createFeedItem = async (fixture: AppFixture) => [
  await fixture.sendNotification(fixture.owner.key),
];

/** Sends a notification to the owner and deletes it from the feed; returns its id, as path parameters. */
export const createDeletedItem = async (fixture: AppFixture) => {
  const id = await fixture.sendNotification(fixture.owner.key);
  await fixture.owner.client.feed.remove(id);
  return [id];
};
