import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@tocsin/sdk";
import { forgetReceivedQuery } from "./store.ts";
import { linkToken } from "../../../test/support/link-token.ts";
import { teamServer, type TeamServer, type TestPerson } from "../../../test/support/teams.ts";

const DAY_MS = 24 * 3_600_000;
const BOB = "bob@example.org";
const VICTIM = "vic@example.org";

/** Creates Ann's team with an invitation to Bob, and returns both tokens: the one handed over and the one mailed. */
async function invitedBob(server: TeamServer) {
  const [ann, bob] = [await server.person("Ann"), await server.person("Bob")];
  const team = (await ann.client.teams.create({ name: "Ops" })).id;
  const { id, link } = await ann.client.teams.invite(team, { email: bob.email });
  const mailToken = linkToken((await server.mails()).at(-1)?.link);
  const anybody = createClient({ baseUrl: server.url });
  return { ann, bob, team, id, token: linkToken(link), mailToken, anybody };
}

/** Returns how many mails Bob was sent. */
async function mailsToBob(server: TeamServer): Promise<number> {
  return (await server.mails()).filter(({ to }) => to === BOB).length;
}

/** Returns the app API's answer byte for byte, except for the request id. */
async function answerTo(
  server: TeamServer,
  { path, body, by }: { path: string; body: unknown; by?: TestPerson },
) {
  const response = await fetch(`${server.url}/api/app/v1/${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(by === undefined ? {} : { authorization: `Bearer ${by.accessToken}` }),
    },
    body: JSON.stringify(body),
  });
  const text = (await response.text()).replace(/"requestId":"[^"]*"/, "");
  const headers = [...response.headers.keys()].toSorted();
  return { status: response.status, headers, text };
}

test("the token of a mail stops all further mails, and allows them again", async (t) => {
  const server = await teamServer(t);
  const { ann, mailToken, anybody } = await invitedBob(server);
  const eve = await server.person("Eve");
  const invite = async ({ client }: TestPerson, name: string) => {
    const { id } = await client.teams.create({ name });
    return client.teams.invite(id, { email: " Bob@Example.org " });
  };
  assert.equal((await anybody.invitations.look(mailToken)).mails, "sent");
  await anybody.invitations.refuseMails(mailToken);
  await anybody.invitations.refuseMails(mailToken);
  assert.equal((await anybody.invitations.look(mailToken)).mails, "refused");
  await invite(ann, "Another team");
  await invite(eve, "Another inviter");
  assert.equal(await mailsToBob(server), 1);
  await anybody.invitations.allowMails(mailToken);
  await anybody.invitations.allowMails(mailToken);
  assert.equal((await anybody.invitations.look(mailToken)).mails, "sent");
  await invite(eve, "One more");
  assert.equal(await mailsToBob(server), 2);
});

test("an address that refuses mails is still invited, sees the invitation and joins either way", async (t) => {
  const server = await teamServer(t);
  const { bob, mailToken, anybody } = await invitedBob(server);
  await anybody.invitations.refuseMails(mailToken);
  const eve = await server.person("Eve");
  const names = ["By hand", "In the console"];
  const [byHand, inConsole] = await Promise.all(
    names.map(async (name) => {
      const { id } = await eve.client.teams.create({ name });
      return eve.client.teams.invite(id, { email: BOB });
    }),
  );
  const { items } = await bob.client.invitations.list();
  assert.deepEqual(items.map(({ team }) => team.name).toSorted(), [...names, "Ops"]);
  const joined = await bob.client.invitations.acceptToken(linkToken(byHand?.link));
  assert.equal(joined.name, "By hand");
  await bob.client.invitations.accept(inConsole?.id ?? "");
});

test("a link that was handed over neither shows nor changes whether mails are refused", async (t) => {
  const server = await teamServer(t);
  const { token, mailToken, anybody, ann, bob } = await invitedBob(server);
  assert.equal((await ann.client.invitations.look(token)).mails, null);
  for (const client of [anybody, ann.client, bob.client]) {
    await assert.rejects(client.invitations.refuseMails(token), { code: "not_found" });
  }
  assert.equal((await anybody.invitations.look(mailToken)).mails, "sent");
  await anybody.invitations.refuseMails(mailToken);
  assert.equal((await anybody.invitations.look(token)).mails, null);
  await assert.rejects(anybody.invitations.allowMails(token), { code: "not_found" });
  assert.equal((await anybody.invitations.look(mailToken)).mails, "refused");
});

test("a token that may change nothing gets the answer of a wrong one, byte for byte", async (t) => {
  const server = await teamServer(t);
  const { token } = await invitedBob(server);
  const wrong = await answerTo(server, { path: "invitations/look", body: { token: "guess" } });
  assert.equal(wrong.status, 404);
  for (const path of ["invitations/refuse-mails", "invitations/allow-mails"]) {
    for (const each of ["guess", "", token]) {
      assert.deepEqual(await answerTo(server, { path, body: { token: each } }), wrong, path);
    }
  }
});

test("wrong tokens count against the same limit as in looking at invitations", async (t) => {
  const server = await teamServer(t);
  const { mailToken, anybody } = await invitedBob(server);
  const { look, refuseMails, allowMails } = anybody.invitations;
  for (let tries = 0; tries < 15; tries += 1) await refuseMails(mailToken);
  for (const guess of [look, refuseMails, allowMails, look, refuseMails]) {
    for (const token of ["one", "two"]) {
      await assert.rejects(guess(token), { code: "not_found" });
    }
  }
  for (const guess of [look, refuseMails, allowMails]) {
    await assert.rejects(guess("guess"), { code: "rate_limited" });
  }
});

test("a mailed link stops mails after its invitation is over, and shows nothing else of it", async (t) => {
  const endings: Record<
    string,
    (stage: Awaited<ReturnType<typeof invitedBob>>) => Promise<unknown>
  > = {
    declined: ({ bob, id }) => bob.client.invitations.decline(id),
    withdrawn: ({ ann, team, id }) => ann.client.teams.removeInvitation(team, id),
    accepted: ({ bob, token }) => bob.client.invitations.acceptToken(token),
    "of a team that is gone": ({ ann, team }) => ann.client.teams.remove(team),
  };
  for (const [name, end] of Object.entries(endings)) {
    const server = await teamServer(t);
    const stage = await invitedBob(server);
    await end(stage);
    const { anybody, mailToken, token } = stage;
    const over = { state: "over", email: BOB };
    assert.deepEqual(await anybody.invitations.look(mailToken), { ...over, mails: "sent" }, name);
    await anybody.invitations.refuseMails(mailToken);
    assert.deepEqual(await anybody.invitations.look(mailToken), { ...over, mails: "refused" });
    await assert.rejects(anybody.invitations.look(token), { code: "not_found" });
    await assert.rejects(anybody.invitations.allowMails(token), { code: "not_found" });
    await anybody.invitations.allowMails(mailToken);
  }
});

test("the member who accepted sees in the mailed link whether mails are refused", async (t) => {
  const server = await teamServer(t);
  const { bob, mailToken } = await invitedBob(server);
  await bob.client.invitations.acceptToken(mailToken);
  await bob.client.invitations.refuseMails(mailToken);
  const { state, mails } = await bob.client.invitations.look(mailToken);
  assert.deepEqual([state, mails], ["accepted", "refused"]);
});

test("an expired link stops mails, and allows them again after invitations without a mail", async (t) => {
  const server = await teamServer(t);
  const { ann, bob, team, mailToken, anybody } = await invitedBob(server);
  server.context.clock.advance(7 * DAY_MS);
  await anybody.invitations.refuseMails(mailToken);
  const seen = await anybody.invitations.look(mailToken);
  assert.deepEqual([seen.state, seen.mails], ["expired", "refused"]);
  const again = await ann.client.teams.invite(team, { email: BOB });
  assert.equal(await mailsToBob(server), 1);
  assert.equal((await anybody.invitations.look(mailToken)).state, "over");
  await assert.rejects(bob.client.invitations.acceptToken(mailToken), { code: "not_found" });
  await anybody.invitations.allowMails(mailToken);
  assert.equal((await anybody.invitations.look(mailToken)).mails, "sent");
  await bob.client.invitations.acceptToken(linkToken(again.link));
});

test("a token is invalid once its invitation is deleted, and the refusal stays", async (t) => {
  const server = await teamServer(t);
  const { ann, mailToken, anybody } = await invitedBob(server);
  await anybody.invitations.refuseMails(mailToken);
  await server.context.database.atomically([forgetReceivedQuery(server.context, BOB)]);
  await assert.rejects(anybody.invitations.allowMails(mailToken), { code: "not_found" });
  const { id } = await ann.client.teams.create({ name: "Another" });
  const before = await mailsToBob(server);
  await ann.client.teams.invite(id, { email: BOB });
  assert.equal(await mailsToBob(server), before);
});

test("an inviter cannot tell an address that refuses mails from one that got enough of them", async (t) => {
  const server = await teamServer(t);
  const { mailToken, anybody } = await invitedBob(server);
  await anybody.invitations.refuseMails(mailToken);
  const others = await Promise.all(["Carl", "Dora", "Emil"].map((name) => server.person(name)));
  for (const { client } of others) {
    const { id } = await client.teams.create({ name: "Flood" });
    await client.teams.invite(id, { email: VICTIM });
  }
  const eve = await server.person("Eve");
  const told = async (email: string) => {
    const { id: team, key } = await eve.client.teams.create({ name: "Eve's" });
    const answers: unknown[] = [];
    const invite = async () => {
      const path = `teams/${team}/invitations`;
      const { text, ...answer } = await answerTo(server, { path, body: { email }, by: eve });
      answers.push({ ...answer, text: text.replace(email, "").replaceAll(VARIES, "") });
    };
    await invite();
    await invite();
    answers.push(await eve.client.management.invite({ team: key, email }));
    const { invitations } = await eve.client.teams.get(team);
    answers.push(JSON.stringify(invitations).replace(email, "").replaceAll(VARIES, ""));
    await eve.client.teams.removeInvitation(team, invitations[0]?.id ?? "");
    await invite();
    return answers;
  };
  const [refuses, hasEnough] = [await told(BOB), await told(VICTIM)];
  assert.deepEqual(refuses, hasEnough);
  assert.match(JSON.stringify(refuses), /recent/);
});

/** Ids, tokens and moments. */
const VARIES = /"id":"[^"]*"|#token=[A-Za-z0-9_-]*|\d{4}-\d\d-\d\dT[\d:.]*Z/g;
