import assert from "node:assert/strict";
import { test } from "node:test";
import { startTeamsServer, type SignedInPerson } from "../../../test/support/teams-server.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";

const HOUR_MS = 3_600_000;
const bob = { email: "bob@example.org" };

async function createTeam(owner: SignedInPerson, name = "Ops"): Promise<string> {
  return (await owner.client.teams.create({ name })).id;
}

test("an invitation returns a link and queues an email with a different link", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const invitation = await ann.client.teams.invite(await createTeam(ann), {
    email: "Bob@Example.org",
  });
  assert.deepEqual(Object.keys(invitation), [
    "id",
    "email",
    "createdAt",
    "expiresAt",
    "link",
    "mail",
  ]);
  assert.equal(invitation.email, "bob@example.org");
  assert.match(
    invitation.link,
    /^https:\/\/push\.example\.org\/invitation#token=[A-Za-z0-9_-]{27}$/,
  );
  const [mail] = await server.listMails();
  assert.equal(mail?.to, "bob@example.org");
  assert.match(mail?.text ?? "", /^Ann \(ann@example\.org\) invites you to the team Ops\./);
  assert.ok(mail?.text.includes(mail.link));
  assert.notEqual(mail?.link, invitation.link);
});

test("invitation tokens are stored only as hashes", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const { link } = await ann.client.teams.invite(await createTeam(ann), bob);
  const row = await server.context.database.db
    .selectFrom("invitation")
    .selectAll()
    .executeTakeFirstOrThrow();
  const storedText = JSON.stringify(row);
  assert.ok(!storedText.includes(parseLinkToken(link)));
  assert.match(row.token_hash, /^[0-9a-f]{64}$/);
  assert.match(row.mail_token_hash, /^[0-9a-f]{64}$/);
});

test("the response says whether an email is sent", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const team = await createTeam(ann);
  assert.equal((await ann.client.teams.invite(team, bob)).mail, "queued");
  assert.equal((await ann.client.teams.invite(team, bob)).mail, "recent");
  server.context.clock.advance(24 * HOUR_MS);
  assert.equal((await ann.client.teams.invite(team, bob)).mail, "queued");
});

test("a server without email reports that no email is sent", async (t) => {
  const server = await startTeamsServer(t, { sendsMail: false });
  const ann = await server.addPerson("Ann");
  const { mail } = await ann.client.teams.invite(await createTeam(ann), {
    email: "bob@example.org",
  });
  assert.equal(mail, "off");
});

test("a repeated invitation replaces the link, and sends no email within 24 hours", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const team = await createTeam(ann);
  const firstInvitation = await ann.client.teams.invite(team, bob);
  server.context.clock.advance(24 * HOUR_MS - 1);
  const secondInvitation = await ann.client.teams.invite(team, bob);
  assert.equal(secondInvitation.id, firstInvitation.id);
  assert.equal((await server.listMails()).length, 1);
  const invitee = await server.addPerson("Bob");
  const acceptance = invitee.client.invitations.acceptToken(parseLinkToken(firstInvitation.link));
  await assert.rejects(acceptance, { status: 404, code: "not_found" });
  // The emailed link stays valid, because the recipient has no other link.
  const [mail] = await server.listMails();
  const joinedTeam = await invitee.client.invitations.acceptToken(parseLinkToken(mail?.link ?? ""));
  assert.deepEqual(joinedTeam, { id: team, name: "Ops", role: "member" });
});

test("an invitation that is repeated after 24 hours sends another email and replaces the emailed link", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const team = await createTeam(ann);
  await ann.client.teams.invite(team, bob);
  server.context.clock.advance(24 * HOUR_MS);
  await ann.client.teams.invite(team, bob);
  const [firstMail, secondMail] = await server.listMails();
  const invitee = await server.addPerson("Bob");
  const acceptLink = (link = "") => invitee.client.invitations.acceptToken(parseLinkToken(link));
  await assert.rejects(acceptLink(firstMail?.link), { code: "not_found" });
  await acceptLink(secondMail?.link);
});

test("a recipient gets at most 3 emails a day, and an account sends at most 20 invitations a day", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const eve = await server.addPerson("Eve");
  for (let count = 0; count < 20; count += 1) {
    await ann.client.teams.invite(await createTeam(ann), bob);
  }
  await eve.client.teams.invite(await createTeam(eve), bob);
  assert.equal((await server.listMails()).length, 3);
  const team = await createTeam(ann);
  const limitError = { status: 429, code: "invite_limit" };
  await assert.rejects(ann.client.teams.invite(team, { email: "carl@example.org" }), limitError);
  server.context.clock.advance(24 * HOUR_MS);
  await ann.client.teams.invite(team, { email: "carl@example.org" });
  await eve.client.teams.invite(await createTeam(eve), bob);
  assert.equal((await server.listMails()).length, 5);
});

test("deleting teams and revoking invitations does not reset the limits", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  for (let count = 0; count < 5; count += 1) {
    const team = await createTeam(ann);
    await ann.client.teams.invite(team, bob);
    await ann.client.teams.remove(team);
  }
  const team = await createTeam(ann);
  for (let count = 0; count < 15; count += 1) {
    const { id } = await ann.client.teams.invite(team, bob);
    await ann.client.teams.removeInvitation(team, id);
  }
  assert.equal((await server.listMails()).length, 3);
  await assert.rejects(ann.client.teams.invite(team, bob), { code: "invite_limit" });
});

test("200 invitations from 10 accounts, 50 at a time, send 3 emails to their recipient", async (t) => {
  const server = await startTeamsServer(t);
  const inviteRepeatedly = async (index: number) => {
    const person = await server.addPerson(`Person${index}`);
    const team = await createTeam(person);
    const invite = () => person.client.teams.invite(team, bob);
    // On a busy machine, more at a time would wait for a connection to PostgreSQL for longer than allowed.
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(Array.from({ length: 5 }, invite));
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, index) => inviteRepeatedly(index)));
  assert.equal((await server.listMails()).length, 3);
});

test("a plain member cannot invite or revoke", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const eve = await server.addPerson("Eve");
  const team = await createTeam(ann);
  await server.join(ann, team, eve);
  const { id } = await ann.client.teams.invite(team, bob);
  const forbiddenError = { status: 403, code: "forbidden" };
  await assert.rejects(eve.client.teams.invite(team, { email: "x@example.org" }), forbiddenError);
  await assert.rejects(eve.client.teams.removeInvitation(team, id), forbiddenError);
});

test("a member cannot be invited again, in any letter case", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const invitee = await server.addPerson("Bob");
  const team = await createTeam(ann);
  await server.join(ann, team, invitee);
  const repeatedInvitation = ann.client.teams.invite(team, { email: "BOB@example.org" });
  await assert.rejects(repeatedInvitation, { status: 409, code: "conflict" });
  assert.equal((await server.listMails()).length, 1);
});

test("a new invitation returns 201, and a repeated one 200", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const team = await createTeam(ann);
  const invite = async () => {
    const response = await fetch(`${server.url}/api/app/v1/teams/${team}/invitations`, {
      method: "POST",
      headers: { authorization: `Bearer ${ann.accessToken}`, "content-type": "application/json" },
      body: JSON.stringify(bob),
    });
    return response.status;
  };
  assert.deepEqual([await invite(), await invite()], [201, 200]);
  server.context.clock.advance(24 * HOUR_MS);
  assert.equal(await invite(), 200);
});

test("an invitation to more than one address is refused", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const refusedInvitation = ann.client.teams.invite(await createTeam(ann), {
    email: "a@b.org,c@d.org",
  });
  await assert.rejects(refusedInvitation, { status: 400, code: "invalid_email", field: "email" });
});

test("both links of a revoked invitation are invalid", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const invitee = await server.addPerson("Bob");
  const team = await createTeam(ann);
  const { id, link } = await ann.client.teams.invite(team, bob);
  const [mail] = await server.listMails();
  await ann.client.teams.removeInvitation(team, id);
  for (const token of [link, mail?.link ?? ""]) {
    const acceptance = invitee.client.invitations.acceptToken(parseLinkToken(token));
    await assert.rejects(acceptance, { status: 404, code: "not_found" });
  }
  assert.deepEqual((await ann.client.teams.get(team)).invitations, []);
  await assert.rejects(ann.client.teams.removeInvitation(team, id), { code: "not_found" });
});

test("another team's invitation cannot be revoked", async (t) => {
  const server = await startTeamsServer(t);
  const ann = await server.addPerson("Ann");
  const eve = await server.addPerson("Eve");
  const { id } = await ann.client.teams.invite(await createTeam(ann), bob);
  const revocation = eve.client.teams.removeInvitation(await createTeam(eve), id);
  await assert.rejects(revocation, { status: 404, code: "not_found" });
});
