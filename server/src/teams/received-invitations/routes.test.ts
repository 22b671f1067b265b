import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, TocsinError } from "@tocsin/sdk";
import { hashToken } from "#token.ts";
import { listMemberAccountIds, findMemberId } from "../../../test/support/team-members.ts";
import { startTeamsServer, type TeamsServer } from "../../../test/support/teams-server.ts";
import { listMembershipPeriods } from "../store/teams.ts";
import { findTeamInvitation } from "./find-invitation.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";

const DAY_MS = 24 * 3_600_000;

/** Creates Ann's team with an invitation to Bob. */
async function inviteBob(server: TeamsServer, options: { isVerified?: boolean } = {}) {
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob", options);
  const { id: teamId } = await ann.client.teams.create({ name: "Ops" });
  const { id: invitationId, link } = await ann.client.teams.invite(teamId, { email: bob.email });
  const [mail] = await server.listMails();
  return {
    ann,
    bob,
    teamId,
    invitationId,
    token: parseLinkToken(link),
    mailToken: parseLinkToken(mail?.link ?? ""),
  };
}

test("a token makes the invited account a member once", async (t) => {
  const server = await startTeamsServer(t);
  const { bob, teamId, token, mailToken } = await inviteBob(server);
  const joinedTeam = await bob.client.invitations.acceptToken(token);
  assert.deepEqual(joinedTeam, { id: teamId, name: "Ops", role: "member" });
  assert.deepEqual(server.changedTeamIds, [teamId]);
  for (const usedToken of [token, mailToken]) {
    await assert.rejects(bob.client.invitations.acceptToken(usedToken), { code: "not_found" });
  }
});

test("a preview of an invitation needs no session and does not use up the token", async (t) => {
  const server = await startTeamsServer(t);
  const { bob, token, mailToken } = await inviteBob(server);
  const anonymous = createClient({ baseUrl: server.url });
  const preview = await anonymous.invitations.preview(token);
  const expiresAt = new Date(server.context.now() + 7 * DAY_MS).toISOString();
  const expected = {
    team: { name: "Ops" },
    invitedBy: { name: "Ann" },
    email: bob.email,
    expiresAt,
  };
  assert.deepEqual(preview, { ...expected, isMailed: false, state: "open", mails: null });
  const mailedPreview = { ...preview, isMailed: true, mails: "sent" };
  assert.deepEqual(await anonymous.invitations.preview(mailToken), mailedPreview);
  assert.deepEqual(await bob.client.invitations.preview(token), preview);
  server.context.clock.advance(7 * DAY_MS);
  assert.deepEqual(await anonymous.invitations.preview(token), { ...preview, state: "expired" });
});

test("a used token shows the invitation only to the member who used it", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, bob, teamId, token } = await inviteBob(server);
  const anonymous = createClient({ baseUrl: server.url });
  await bob.client.invitations.acceptToken(token);
  assert.equal((await bob.client.invitations.preview(token)).state, "accepted");
  for (const client of [anonymous, ann.client]) {
    await assert.rejects(client.invitations.preview(token), { code: "not_found" });
  }
  await ann.client.teams.removeMember(teamId, await findMemberId(ann, teamId, bob));
  await assert.rejects(bob.client.invitations.preview(token), { code: "not_found" });
});

test("a token of a revoked, declined or renewed invitation shows nothing", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, bob, teamId, token } = await inviteBob(server);
  const secondInvitation = await ann.client.teams.invite(teamId, { email: bob.email });
  await assert.rejects(bob.client.invitations.preview(token), { code: "not_found" });
  await ann.client.teams.removeInvitation(teamId, secondInvitation.id);
  await assert.rejects(bob.client.invitations.preview(parseLinkToken(secondInvitation.link)), {
    code: "not_found",
  });
  const thirdInvitation = await ann.client.teams.invite(teamId, { email: bob.email });
  await bob.client.invitations.decline(thirdInvitation.id);
  await assert.rejects(bob.client.invitations.preview(parseLinkToken(thirdInvitation.link)), {
    code: "not_found",
  });
});

test("only previews with invalid tokens are rate-limited", async (t) => {
  const server = await startTeamsServer(t);
  const { token } = await inviteBob(server);
  const anonymous = createClient({ baseUrl: server.url });
  for (let attempt = 0; attempt < 15; attempt += 1) await anonymous.invitations.preview(token);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await assert.rejects(anonymous.invitations.preview("guess"), { code: "not_found" });
  }
  await assert.rejects(anonymous.invitations.preview("guess"), { code: "rate_limited" });
});

test("a removed member cannot rejoin with a used token", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, bob, teamId, token } = await inviteBob(server);
  await bob.client.invitations.acceptToken(token);
  await ann.client.teams.removeMember(teamId, await findMemberId(ann, teamId, bob));
  await assert.rejects(bob.client.invitations.acceptToken(token), { code: "not_found" });
  assert.deepEqual(await listMemberAccountIds(server.context, teamId), [ann.id]);
});

test("20 concurrent acceptances of one invitation create one membership", async (t) => {
  const server = await startTeamsServer(t);
  const { bob, token, mailToken } = await inviteBob(server);
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      bob.client.invitations.acceptToken(index % 2 === 0 ? token : mailToken),
    ),
  );
  const refusals = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  assert.equal(refusals.length, 19);
  for (const { code } of refusals) assert.equal(code, "not_found");
  assert.equal((await listMembershipPeriods(server.context, bob.id)).length, 1);
});

test("a removal wins over a concurrent acceptance", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  for (let round = 0; round < 10; round += 1) {
    const bob = await server.addPerson(`Bob${round}`);
    const { link } = await ann.client.teams.invite(teamId, { email: bob.email });
    const [removal, acceptance] = await Promise.allSettled([
      ann.client.management.remove({ team: key, email: bob.email }),
      bob.client.invitations.acceptToken(parseLinkToken(link)),
    ]);
    // In either order there was something to remove, and the removal was final.
    assert.equal(removal.status, "fulfilled");
    if (acceptance.status === "rejected") assert.equal(acceptance.reason.code, "not_found");
    assert.deepEqual(await listMemberAccountIds(server.context, teamId), [ann.id]);
  }
});

test("another account cannot accept, and does not learn the invited address", async (t) => {
  const server = await startTeamsServer(t);
  const { bob, teamId, token } = await inviteBob(server);
  const eve = await server.addPerson("Eve");
  await assert.rejects(eve.client.invitations.acceptToken(token), (error: Error) => {
    assert.ok(error instanceof TocsinError);
    assert.deepEqual([error.status, error.code], [403, "wrong_account"]);
    assert.ok(!error.message.includes(bob.email));
    return true;
  });
  assert.equal((await listMemberAccountIds(server.context, teamId)).includes(eve.id), false);
});

test("an unknown token is not found", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  await assert.rejects(ann.client.invitations.acceptToken("nothing"), { status: 404 });
});

test("an invitation expires after 7 days, by token and by id", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, bob, teamId, invitationId, token, mailToken } = await inviteBob(server);
  server.context.clock.advance(7 * DAY_MS - 1);
  assert.equal((await bob.client.invitations.list()).items.length, 1);
  server.context.clock.advance(1);
  assert.deepEqual((await bob.client.invitations.list()).items, []);
  assert.deepEqual((await ann.client.teams.get(teamId)).invitations, []);
  const expiredError = { status: 400, code: "expired" };
  await assert.rejects(bob.client.invitations.acceptToken(token), expiredError);
  await assert.rejects(bob.client.invitations.acceptToken(mailToken), expiredError);
  await assert.rejects(bob.client.invitations.accept(invitationId), expiredError);
  await assert.rejects(bob.client.invitations.decline(invitationId), { code: "not_found" });
  await assert.rejects(ann.client.teams.removeInvitation(teamId, invitationId), {
    code: "not_found",
  });
});

test("a new invitation after expiry does not revive old links", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, bob, teamId, token, mailToken } = await inviteBob(server);
  server.context.clock.advance(7 * DAY_MS);
  const { link } = await ann.client.teams.invite(teamId, { email: bob.email });
  for (const oldToken of [token, mailToken]) {
    await assert.rejects(bob.client.invitations.acceptToken(oldToken), { code: "not_found" });
  }
  await bob.client.invitations.acceptToken(parseLinkToken(link));
});

test("an account with a verified address lists its invitations and accepts by id", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, bob, teamId, invitationId } = await inviteBob(server);
  assert.deepEqual((await bob.client.invitations.list()).items, [
    {
      id: invitationId,
      team: { id: teamId, name: "Ops" },
      invitedBy: { name: "Ann", email: ann.email },
      createdAt: "2026-01-01T00:00:00.000Z",
      expiresAt: "2026-01-08T00:00:00.000Z",
    },
  ]);
  assert.deepEqual(await bob.client.invitations.accept(invitationId), {
    id: teamId,
    name: "Ops",
    role: "member",
  });
  assert.deepEqual((await bob.client.invitations.list()).items, []);
});

test("an account with an unverified address can accept only by token", async (t) => {
  const server = await startTeamsServer(t);
  const { bob, invitationId, token } = await inviteBob(server, { isVerified: false });
  assert.deepEqual((await bob.client.invitations.list()).items, []);
  const forbiddenError = { status: 403, code: "forbidden" };
  await assert.rejects(bob.client.invitations.accept(invitationId), forbiddenError);
  await assert.rejects(bob.client.invitations.accept("missing"), forbiddenError);
  await assert.rejects(bob.client.invitations.decline(invitationId), forbiddenError);
  await bob.client.invitations.acceptToken(token);
});

test("another account's invitation is not found", async (t) => {
  const server = await startTeamsServer(t);
  const { invitationId } = await inviteBob(server);
  const eve = await server.addPerson("Eve");
  const notFoundError = { status: 404, code: "not_found" };
  for (const requestedId of [invitationId, "missing"]) {
    await assert.rejects(eve.client.invitations.accept(requestedId), notFoundError);
    await assert.rejects(eve.client.invitations.decline(requestedId), notFoundError);
  }
});

test("a declined invitation and its links are invalid, and a new one can be sent", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, bob, teamId, invitationId, token } = await inviteBob(server);
  await bob.client.invitations.decline(invitationId);
  assert.deepEqual((await bob.client.invitations.list()).items, []);
  assert.deepEqual((await ann.client.teams.get(teamId)).invitations, []);
  await assert.rejects(bob.client.invitations.acceptToken(token), { code: "not_found" });
  await assert.rejects(bob.client.invitations.decline(invitationId), { code: "not_found" });
  await server.join(ann, teamId, bob);
});

test("received invitations are paginated", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  for (const name of ["one", "two", "three"]) {
    const { id } = await ann.client.teams.create({ name });
    await ann.client.teams.invite(id, { email: bob.email });
  }
  const firstPage = await bob.client.invitations.list({ limit: 2 });
  const lastPage = await bob.client.invitations.list({
    limit: 2,
    cursor: firstPage.nextCursor ?? "",
  });
  const names = [...firstPage.items, ...lastPage.items].map(({ team }) => team.name);
  assert.deepEqual(names, ["one", "two", "three"]);
  assert.equal(lastPage.nextCursor, null);
});

test("an invitation is found by token until it expires, and only the emailed token proves the address", async (t) => {
  const server = await startTeamsServer(t);
  const { bob, token, mailToken } = await inviteBob(server);
  const deps = { context: server.context, onTeamChanged: () => {} };
  const find = (token: string) => findTeamInvitation(deps, hashToken(token));
  const findEmailProof = async (token: string) => {
    const { email, isMailed } = (await find(token)) ?? assert.fail("not found");
    return { email, isMailed };
  };
  assert.deepEqual(await findEmailProof(token), { email: bob.email, isMailed: false });
  assert.deepEqual(await findEmailProof(mailToken), { email: bob.email, isMailed: true });
  assert.equal(await find("nothing"), null);
  server.context.clock.advance(7 * DAY_MS);
  assert.equal(await find(token), null);
});
