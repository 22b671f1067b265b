import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@tocsin/sdk";
import { deleteReceivedInvitationsQuery } from "./store.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";
import {
  startTeamsServer,
  type TeamsServer,
  type SignedInPerson,
} from "../../../test/support/teams-server.ts";

const DAY_MS = 24 * 3_600_000;
const BOB = "bob@example.org";
/** An address that got its maximum of emails. */
const RATE_LIMITED = "vic@example.org";

/** Creates Ann's team with an invitation to Bob, and returns both tokens, the shared one and the emailed one. */
async function inviteBob(server: TeamsServer) {
  const ann = await server.addPerson("Ann");
  const bob = await server.addPerson("Bob");
  const teamId = (await ann.client.teams.create({ name: "Ops" })).id;
  const { id, link } = await ann.client.teams.invite(teamId, { email: bob.email });
  const mailToken = parseLinkToken((await server.listMails()).at(-1)?.link);
  const anonymous = createClient({ baseUrl: server.url });
  return { ann, bob, teamId, id, token: parseLinkToken(link), mailToken, anonymous };
}

/** Returns the number of emails sent to Bob. */
async function countMailsToBob(server: TeamsServer): Promise<number> {
  return (await server.listMails()).filter(({ to }) => to === BOB).length;
}

/** Returns the status, the header names and the body of a response of the app API, without the request id. */
async function postAs(
  server: TeamsServer,
  { path, body, person }: { path: string; body: unknown; person?: SignedInPerson },
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

test("an emailed token unsubscribes the address from all invitation emails, and resubscribes it", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, mailToken, anonymous } = await inviteBob(server);
  const eve = await server.addPerson("Eve");
  const invite = async ({ client }: SignedInPerson, name: string) => {
    const { id } = await client.teams.create({ name });
    return client.teams.invite(id, { email: " Bob@Example.org " });
  };
  assert.equal((await anonymous.invitations.preview(mailToken)).mails, "sent");
  await anonymous.invitations.refuseMails(mailToken);
  await anonymous.invitations.refuseMails(mailToken);
  assert.equal((await anonymous.invitations.preview(mailToken)).mails, "refused");
  await invite(ann, "Another team");
  await invite(eve, "Another inviter");
  assert.equal(await countMailsToBob(server), 1);
  await anonymous.invitations.allowMails(mailToken);
  await anonymous.invitations.allowMails(mailToken);
  assert.equal((await anonymous.invitations.preview(mailToken)).mails, "sent");
  await invite(eve, "One more");
  assert.equal(await countMailsToBob(server), 2);
});

test("an unsubscribed address can still be invited, and can join by link or in the console", async (t) => {
  const server = await startTeamsServer(t);
  const { bob, mailToken, anonymous } = await inviteBob(server);
  await anonymous.invitations.refuseMails(mailToken);
  const eve = await server.addPerson("Eve");
  const names = ["By hand", "In the console"];
  const [byLink, inConsole] = await Promise.all(
    names.map(async (name) => {
      const { id } = await eve.client.teams.create({ name });
      return eve.client.teams.invite(id, { email: BOB });
    }),
  );
  const { items } = await bob.client.invitations.list();
  assert.deepEqual(items.map(({ team }) => team.name).toSorted(), [...names, "Ops"]);
  const joinedTeam = await bob.client.invitations.acceptToken(parseLinkToken(byLink?.link));
  assert.equal(joinedTeam.name, "By hand");
  await bob.client.invitations.accept(inConsole?.id ?? "");
});

test("a shared link neither shows nor changes whether the address is unsubscribed", async (t) => {
  const server = await startTeamsServer(t);
  const { token, mailToken, anonymous, ann, bob } = await inviteBob(server);
  assert.equal((await ann.client.invitations.preview(token)).mails, null);
  for (const client of [anonymous, ann.client, bob.client]) {
    await assert.rejects(client.invitations.refuseMails(token), { code: "not_found" });
  }
  assert.equal((await anonymous.invitations.preview(mailToken)).mails, "sent");
  await anonymous.invitations.refuseMails(mailToken);
  assert.equal((await anonymous.invitations.preview(token)).mails, null);
  await assert.rejects(anonymous.invitations.allowMails(token), { code: "not_found" });
  assert.equal((await anonymous.invitations.preview(mailToken)).mails, "refused");
});

test("a shared token gets the same response as an invalid one, byte for byte", async (t) => {
  const server = await startTeamsServer(t);
  const { token } = await inviteBob(server);
  const invalidTokenResponse = await postAs(server, {
    path: "invitations/look",
    body: { token: "guess" },
  });
  assert.equal(invalidTokenResponse.status, 404);
  for (const path of ["invitations/refuse-mails", "invitations/allow-mails"]) {
    for (const candidate of ["guess", "", token]) {
      assert.deepEqual(
        await postAs(server, { path, body: { token: candidate } }),
        invalidTokenResponse,
        path,
      );
    }
  }
});

test("invalid tokens share one rate limit with invitation previews", async (t) => {
  const server = await startTeamsServer(t);
  const { mailToken, anonymous } = await inviteBob(server);
  const { preview, refuseMails, allowMails } = anonymous.invitations;
  for (let attempt = 0; attempt < 15; attempt += 1) await refuseMails(mailToken);
  for (const guess of [preview, refuseMails, allowMails, preview, refuseMails]) {
    for (const token of ["one", "two"]) {
      await assert.rejects(guess(token), { code: "not_found" });
    }
  }
  for (const guess of [preview, refuseMails, allowMails]) {
    await assert.rejects(guess("guess"), { code: "rate_limited" });
  }
});

test("an emailed link still unsubscribes after the invitation ended, and reveals only its address", async (t) => {
  const endings: Record<
    string,
    (setup: Awaited<ReturnType<typeof inviteBob>>) => Promise<unknown>
  > = {
    declined: ({ bob, id }) => bob.client.invitations.decline(id),
    withdrawn: ({ ann, teamId, id }) => ann.client.teams.removeInvitation(teamId, id),
    accepted: ({ bob, token }) => bob.client.invitations.acceptToken(token),
    "team deleted": ({ ann, teamId }) => ann.client.teams.remove(teamId),
  };
  for (const [name, end] of Object.entries(endings)) {
    const server = await startTeamsServer(t);
    const setup = await inviteBob(server);
    await end(setup);
    const { anonymous, mailToken, token } = setup;
    const endedInvitation = { state: "over", email: BOB };
    assert.deepEqual(
      await anonymous.invitations.preview(mailToken),
      { ...endedInvitation, mails: "sent" },
      name,
    );
    await anonymous.invitations.refuseMails(mailToken);
    assert.deepEqual(await anonymous.invitations.preview(mailToken), {
      ...endedInvitation,
      mails: "refused",
    });
    await assert.rejects(anonymous.invitations.preview(token), { code: "not_found" });
    await assert.rejects(anonymous.invitations.allowMails(token), { code: "not_found" });
    await anonymous.invitations.allowMails(mailToken);
  }
});

test("an emailed link shows the member who accepted it whether emails are refused", async (t) => {
  const server = await startTeamsServer(t);
  const { bob, mailToken } = await inviteBob(server);
  await bob.client.invitations.acceptToken(mailToken);
  await bob.client.invitations.refuseMails(mailToken);
  const { state, mails } = await bob.client.invitations.preview(mailToken);
  assert.deepEqual([state, mails], ["accepted", "refused"]);
});

test("an expired or replaced emailed link still unsubscribes and resubscribes", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, bob, teamId, mailToken, anonymous } = await inviteBob(server);
  server.context.clock.advance(7 * DAY_MS);
  await anonymous.invitations.refuseMails(mailToken);
  const preview = await anonymous.invitations.preview(mailToken);
  assert.deepEqual([preview.state, preview.mails], ["expired", "refused"]);
  const repeatedInvitation = await ann.client.teams.invite(teamId, { email: BOB });
  assert.equal(await countMailsToBob(server), 1);
  assert.equal((await anonymous.invitations.preview(mailToken)).state, "over");
  await assert.rejects(bob.client.invitations.acceptToken(mailToken), { code: "not_found" });
  await anonymous.invitations.allowMails(mailToken);
  assert.equal((await anonymous.invitations.preview(mailToken)).mails, "sent");
  await bob.client.invitations.acceptToken(parseLinkToken(repeatedInvitation.link));
});

test("an address stays unsubscribed after its invitation is deleted", async (t) => {
  const server = await startTeamsServer(t);
  const { ann, mailToken, anonymous } = await inviteBob(server);
  await anonymous.invitations.refuseMails(mailToken);
  await server.context.database.atomically([deleteReceivedInvitationsQuery(server.context, BOB)]);
  await assert.rejects(anonymous.invitations.allowMails(mailToken), { code: "not_found" });
  const { id } = await ann.client.teams.create({ name: "Another" });
  const mailCountBefore = await countMailsToBob(server);
  await ann.client.teams.invite(id, { email: BOB });
  assert.equal(await countMailsToBob(server), mailCountBefore);
});

test("an inviter cannot tell an unsubscribed address from a rate-limited one", async (t) => {
  const server = await startTeamsServer(t);
  const { mailToken, anonymous } = await inviteBob(server);
  await anonymous.invitations.refuseMails(mailToken);
  const inviters = await Promise.all(
    ["Carl", "Dora", "Emil"].map((name) => server.addPerson(name)),
  );
  for (const { client } of inviters) {
    const { id } = await client.teams.create({ name: "Flood" });
    await client.teams.invite(id, { email: RATE_LIMITED });
  }
  const eve = await server.addPerson("Eve");
  const collectResponses = async (email: string) => {
    const { id: teamId, key } = await eve.client.teams.create({ name: "Eve's" });
    const responses: unknown[] = [];
    const invite = async () => {
      const path = `teams/${teamId}/invitations`;
      const { text, ...response } = await postAs(server, {
        path,
        body: { email },
        person: eve,
      });
      responses.push({
        ...response,
        text: text.replace(email, "").replaceAll(VOLATILE_VALUES, ""),
      });
    };
    await invite();
    await invite();
    responses.push(await eve.client.management.invite({ team: key, email }));
    const { invitations } = await eve.client.teams.get(teamId);
    responses.push(JSON.stringify(invitations).replace(email, "").replaceAll(VOLATILE_VALUES, ""));
    await eve.client.teams.removeInvitation(teamId, invitations[0]?.id ?? "");
    await invite();
    return responses;
  };
  const unsubscribed = await collectResponses(BOB);
  const rateLimited = await collectResponses(RATE_LIMITED);
  assert.deepEqual(unsubscribed, rateLimited);
  assert.match(JSON.stringify(unsubscribed), /recent/);
});

/** Ids, tokens and timestamps. */
const VOLATILE_VALUES = /"id":"[^"]*"|#token=[A-Za-z0-9_-]*|\d{4}-\d\d-\d\dT[\d:.]*Z/g;
