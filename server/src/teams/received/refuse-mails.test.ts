import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@tocsin/sdk";
import { forgetReceivedQuery } from "./store.ts";
import { linkToken } from "../../../test/support/link-token.ts";
import { startTeams, type TeamServer, type TestPerson } from "../../../test/support/teams.ts";

const DAY_MS = 24 * 3_600_000;
const BOB = "bob@example.org";
const VICTIM = "vic@example.org";

/** Creates Ann's team with an invitation to Bob, and returns both tokens, the shared one and the mailed one. */
async function inviteBob(server: TeamServer) {
  const [ann, bob] = [await server.person("Ann"), await server.person("Bob")];
  const team = (await ann.client.teams.create({ name: "Ops" })).id;
  const { id, link } = await ann.client.teams.invite(team, { email: bob.email });
  const mailToken = linkToken((await server.mails()).at(-1)?.link);
  const anonymous = createClient({ baseUrl: server.url });
  return { ann, bob, team, id, token: linkToken(link), mailToken, anonymous };
}

/** Returns the number of mails sent to Bob. */
async function mailsToBob(server: TeamServer): Promise<number> {
  return (await server.mails()).filter(({ to }) => to === BOB).length;
}

/** Returns the response of the app API, byte for byte, without the request id. */
async function requestWith(
  server: TeamServer,
  { path, body, person }: { path: string; body: unknown; person?: TestPerson },
) {
  const response = await fetch(`${server.url}/api/app/v1/${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(person === undefined ? {} : { authorization: `Bearer ${person.accessToken}` }),
    },
    body: JSON.stringify(body),
  });
  const text = (await response.text()).replace(/"requestId":"[^"]*"/, "");
  const headers = [...response.headers.keys()].toSorted();
  return { status: response.status, headers, text };
}

test("a mailed token unsubscribes the address from all invitation mails, and resubscribes it", async (t) => {
  const server = await startTeams(t);
  const { ann, mailToken, anonymous } = await inviteBob(server);
  const eve = await server.person("Eve");
  const invite = async ({ client }: TestPerson, name: string) => {
    const { id } = await client.teams.create({ name });
    return client.teams.invite(id, { email: " Bob@Example.org " });
  };
  assert.equal((await anonymous.invitations.look(mailToken)).mails, "sent");
  await anonymous.invitations.refuseMails(mailToken);
  await anonymous.invitations.refuseMails(mailToken);
  assert.equal((await anonymous.invitations.look(mailToken)).mails, "refused");
  await invite(ann, "Another team");
  await invite(eve, "Another inviter");
  assert.equal(await mailsToBob(server), 1);
  await anonymous.invitations.allowMails(mailToken);
  await anonymous.invitations.allowMails(mailToken);
  assert.equal((await anonymous.invitations.look(mailToken)).mails, "sent");
  await invite(eve, "One more");
  assert.equal(await mailsToBob(server), 2);
});

test("an unsubscribed address can still be invited, and can join by link or in the console", async (t) => {
  const server = await startTeams(t);
  const { bob, mailToken, anonymous } = await inviteBob(server);
  await anonymous.invitations.refuseMails(mailToken);
  const eve = await server.person("Eve");
  const names = ["By hand", "In the console"];
  const [byLink, inConsole] = await Promise.all(
    names.map(async (name) => {
      const { id } = await eve.client.teams.create({ name });
      return eve.client.teams.invite(id, { email: BOB });
    }),
  );
  const { items } = await bob.client.invitations.list();
  assert.deepEqual(items.map(({ team }) => team.name).toSorted(), [...names, "Ops"]);
  const joined = await bob.client.invitations.acceptToken(linkToken(byLink?.link));
  assert.equal(joined.name, "By hand");
  await bob.client.invitations.accept(inConsole?.id ?? "");
});

test("a shared link neither shows nor changes whether the address is unsubscribed", async (t) => {
  const server = await startTeams(t);
  const { token, mailToken, anonymous, ann, bob } = await inviteBob(server);
  assert.equal((await ann.client.invitations.look(token)).mails, null);
  for (const client of [anonymous, ann.client, bob.client]) {
    await assert.rejects(client.invitations.refuseMails(token), { code: "not_found" });
  }
  assert.equal((await anonymous.invitations.look(mailToken)).mails, "sent");
  await anonymous.invitations.refuseMails(mailToken);
  assert.equal((await anonymous.invitations.look(token)).mails, null);
  await assert.rejects(anonymous.invitations.allowMails(token), { code: "not_found" });
  assert.equal((await anonymous.invitations.look(mailToken)).mails, "refused");
});

test("a shared token gets the same response as an invalid one, byte for byte", async (t) => {
  const server = await startTeams(t);
  const { token } = await inviteBob(server);
  const wrong = await requestWith(server, { path: "invitations/look", body: { token: "guess" } });
  assert.equal(wrong.status, 404);
  for (const path of ["invitations/refuse-mails", "invitations/allow-mails"]) {
    for (const candidate of ["guess", "", token]) {
      assert.deepEqual(
        await requestWith(server, { path, body: { token: candidate } }),
        wrong,
        path,
      );
    }
  }
});

test("invalid tokens share one rate limit with invitation previews", async (t) => {
  const server = await startTeams(t);
  const { mailToken, anonymous } = await inviteBob(server);
  const { look, refuseMails, allowMails } = anonymous.invitations;
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

test("a mailed link still unsubscribes after the invitation ended, and reveals nothing else", async (t) => {
  const endings: Record<
    string,
    (setup: Awaited<ReturnType<typeof inviteBob>>) => Promise<unknown>
  > = {
    declined: ({ bob, id }) => bob.client.invitations.decline(id),
    withdrawn: ({ ann, team, id }) => ann.client.teams.removeInvitation(team, id),
    accepted: ({ bob, token }) => bob.client.invitations.acceptToken(token),
    "team deleted": ({ ann, team }) => ann.client.teams.remove(team),
  };
  for (const [name, end] of Object.entries(endings)) {
    const server = await startTeams(t);
    const setup = await inviteBob(server);
    await end(setup);
    const { anonymous, mailToken, token } = setup;
    const ended = { state: "over", email: BOB };
    assert.deepEqual(
      await anonymous.invitations.look(mailToken),
      { ...ended, mails: "sent" },
      name,
    );
    await anonymous.invitations.refuseMails(mailToken);
    assert.deepEqual(await anonymous.invitations.look(mailToken), { ...ended, mails: "refused" });
    await assert.rejects(anonymous.invitations.look(token), { code: "not_found" });
    await assert.rejects(anonymous.invitations.allowMails(token), { code: "not_found" });
    await anonymous.invitations.allowMails(mailToken);
  }
});

test("a mailed link shows the member who accepted it whether mails are refused", async (t) => {
  const server = await startTeams(t);
  const { bob, mailToken } = await inviteBob(server);
  await bob.client.invitations.acceptToken(mailToken);
  await bob.client.invitations.refuseMails(mailToken);
  const { state, mails } = await bob.client.invitations.look(mailToken);
  assert.deepEqual([state, mails], ["accepted", "refused"]);
});

test("an expired or replaced mailed link still unsubscribes and resubscribes", async (t) => {
  const server = await startTeams(t);
  const { ann, bob, team, mailToken, anonymous } = await inviteBob(server);
  server.context.clock.advance(7 * DAY_MS);
  await anonymous.invitations.refuseMails(mailToken);
  const preview = await anonymous.invitations.look(mailToken);
  assert.deepEqual([preview.state, preview.mails], ["expired", "refused"]);
  const again = await ann.client.teams.invite(team, { email: BOB });
  assert.equal(await mailsToBob(server), 1);
  assert.equal((await anonymous.invitations.look(mailToken)).state, "over");
  await assert.rejects(bob.client.invitations.acceptToken(mailToken), { code: "not_found" });
  await anonymous.invitations.allowMails(mailToken);
  assert.equal((await anonymous.invitations.look(mailToken)).mails, "sent");
  await bob.client.invitations.acceptToken(linkToken(again.link));
});

test("an address stays unsubscribed after its invitation is deleted", async (t) => {
  const server = await startTeams(t);
  const { ann, mailToken, anonymous } = await inviteBob(server);
  await anonymous.invitations.refuseMails(mailToken);
  await server.context.database.atomically([forgetReceivedQuery(server.context, BOB)]);
  await assert.rejects(anonymous.invitations.allowMails(mailToken), { code: "not_found" });
  const { id } = await ann.client.teams.create({ name: "Another" });
  const before = await mailsToBob(server);
  await ann.client.teams.invite(id, { email: BOB });
  assert.equal(await mailsToBob(server), before);
});

test("an inviter cannot tell an unsubscribed address from a rate-limited one", async (t) => {
  const server = await startTeams(t);
  const { mailToken, anonymous } = await inviteBob(server);
  await anonymous.invitations.refuseMails(mailToken);
  const inviters = await Promise.all(["Carl", "Dora", "Emil"].map((name) => server.person(name)));
  for (const { client } of inviters) {
    const { id } = await client.teams.create({ name: "Flood" });
    await client.teams.invite(id, { email: VICTIM });
  }
  const eve = await server.person("Eve");
  const responsesFor = async (email: string) => {
    const { id: team, key } = await eve.client.teams.create({ name: "Eve's" });
    const responses: unknown[] = [];
    const invite = async () => {
      const path = `teams/${team}/invitations`;
      const { text, ...response } = await requestWith(server, {
        path,
        body: { email },
        person: eve,
      });
      responses.push({ ...response, text: text.replace(email, "").replaceAll(VOLATILE, "") });
    };
    await invite();
    await invite();
    responses.push(await eve.client.management.invite({ team: key, email }));
    const { invitations } = await eve.client.teams.get(team);
    responses.push(JSON.stringify(invitations).replace(email, "").replaceAll(VOLATILE, ""));
    await eve.client.teams.removeInvitation(team, invitations[0]?.id ?? "");
    await invite();
    return responses;
  };
  const [unsubscribed, rateLimited] = [await responsesFor(BOB), await responsesFor(VICTIM)];
  assert.deepEqual(unsubscribed, rateLimited);
  assert.match(JSON.stringify(unsubscribed), /recent/);
});

/** Ids, tokens and timestamps. */
const VOLATILE = /"id":"[^"]*"|#token=[A-Za-z0-9_-]*|\d{4}-\d\d-\d\dT[\d:.]*Z/g;
