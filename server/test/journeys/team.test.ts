import assert from "node:assert/strict";
import { Writable } from "node:stream";
import test, { type TestContext } from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { pino } from "pino";
import type { Mail, MailServer } from "../doubles/mail-server.ts";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import {
  getNotificationId,
  areDeliveriesFinished,
  waitForRecord,
  listDeliveryStates,
} from "../support/notification-records.ts";
import { addMember } from "../support/team-members.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { startMailServer } from "../support/start-mail-server.ts";

const HELLO = { title: "Hello", body: "World" };
const BOB_EMAIL = "bob@example.org";
const UNAVAILABLE = { kind: "answer", status: 503 } as const;

/** Starts an invitation-only server with its first account and a team. */
async function startInvitationServer(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
) {
  const app = await startApp(t, {
    random: () => 0,
    environment: { TOCSIN_SIGN_UP: "invite", ...environment },
  });
  const link = await app.app.createSetUpLink();
  const ann = await signUp(app, "Ann", parseLinkToken(link));
  const team = await ann.client.teams.create({ name: "Ops" });
  return { app, ann, team, sender: ann.withKey(team.key) };
}

function findLink({ text }: Pick<Mail, "text">): string {
  return /https?:\S+\/invitation#token=\S+/.exec(text ?? "")?.[0] ?? assert.fail("no link");
}

/** Returns the next email to Bob; skips account notices to others. */
async function waitForMailToBob(mailServer: MailServer): Promise<Mail> {
  for (;;) {
    const mail = await mailServer.next();
    if (mail.to.includes(BOB_EMAIL)) return mail;
  }
}

/** Signs Bob up through the link, which makes him a member. */
async function joinByLink(app: TestApp, link: string): Promise<TestPerson> {
  const bob = await signUp(app, "Bob", parseLinkToken(link));
  assert.equal((await bob.client.teams.list()).items.length, 1);
  return bob;
}

async function listTitles(client: Client): Promise<readonly string[]> {
  return (await client.feed.list()).items.map(({ title }) => title);
}

test("an invited member gets the team's notifications until removed, including queued ones", async (t) => {
  const { mail: mailServer, environment } = await startMailServer(t);
  const { app, ann, team, sender } = await startInvitationServer(t, environment);
  await ann.client.management.invite({ team: team.key, email: BOB_EMAIL });
  const mail = await waitForMailToBob(mailServer);
  assert.deepEqual(mail.to, [BOB_EMAIL]);
  const bob = await joinByLink(app, findLink(mail));
  const annDevice = await addDevice(app, ann, "Ann's");
  const bobDevice = await addDevice(app, bob, "Bob's");
  const sendToBoth = await sender.notify({ ...HELLO, title: "To both" });
  assert.equal(sendToBoth.message, "Delivered to 2 of 2 devices");
  await Promise.all([annDevice.phone.next(), bobDevice.phone.next()]);

  bobDevice.phone.script(UNAVAILABLE, UNAVAILABLE);
  const queuedSend = await sender.notify({ ...HELLO, title: "On its way" });
  assert.equal(queuedSend.message, "Delivered to 1 of 2 devices");
  await ann.client.management.remove({ team: team.key, email: BOB_EMAIL });
  const record = await waitForRecord(
    ann.client,
    getNotificationId(queuedSend),
    areDeliveriesFinished,
  );
  assert.deepEqual(listDeliveryStates(record).toSorted(), ["accepted", "cancelled"]);
  const sendAfterRemoval = await sender.notify({ ...HELLO, title: "After" });
  assert.equal(sendAfterRemoval.message, "Delivered to 1 of 1 device");
  assert.equal(bobDevice.phone.messages.length, 1);
  assert.equal(bobDevice.phone.requests.length, 2);
  assert.deepEqual(await listTitles(bob.client), ["On its way", "To both"]);
  assert.deepEqual(await listTitles(ann.client), ["After", "On its way", "To both"]);
  await assert.rejects(bob.client.teams.get(team.id), { status: 404 });
});

test("the link of a revoked invitation creates no account and no membership", async (t) => {
  const { mail: mailServer, environment } = await startMailServer(t);
  const { app, ann, team } = await startInvitationServer(t, environment);
  const request = { team: team.key, email: BOB_EMAIL };
  await ann.client.management.invite(request);
  const token = parseLinkToken(findLink(await waitForMailToBob(mailServer)));
  await ann.client.management.remove(request);
  await assert.rejects(signUp(app, "Bob", token), { status: 403, code: "invitation_required" });
  await assert.rejects(ann.client.invitations.acceptToken(token), { status: 404 });
  assert.deepEqual((await ann.client.teams.get(team.id)).invitations, []);
  await assert.rejects(ann.client.management.remove(request), { status: 400, code: "not_found" });
});

test("the invitation link is in the log and in the response on a server without email", async (t) => {
  const lines: string[] = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString());
      done();
    },
  });
  const environment = { TOCSIN_SIGN_UP: "invite" };
  const app = await startApp(t, { environment, log: pino({ level: "info" }, stream) });
  const ann = await signUp(app, "Ann", parseLinkToken(await app.app.createSetUpLink()));
  const team = await ann.client.teams.create({ name: "Ops" });
  await assert.rejects(signUp(app, "Bob"), { status: 403, code: "invitation_required" });
  await ann.client.management.invite({ team: team.key, email: BOB_EMAIL });
  const logged = await eventually(
    async () => /https?:[^"\s]+\/invitation#token=[^"\s\\]+/.exec(lines.join(""))?.[0] ?? "",
    (link) => link !== "",
  );
  const bob = await joinByLink(app, logged);
  assert.equal((await bob.client.teams.list()).items[0]?.id, team.id);
  const { link } = await ann.client.teams.invite(team.id, { email: "eve@example.org" });
  await signUp(app, "Eve", parseLinkToken(link));
  assert.equal((await ann.client.teams.get(team.id)).members.length, 3);
});

test("only the account's key sends to a group, and reaches only its devices", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const desk = await addDevice(app, ann, "Desk");
  const pocketDevice = await addDevice(app, ann, "Pocket");
  const team = await ann.client.teams.create({ name: "Ops" });
  await addMember(ann, team.id, bob);
  const { id } = await ann.client.groups.create({ name: "At work", deviceIds: [desk.device.id] });
  const response = await ann.client.notifyGroup(id, HELLO);
  assert.equal(response.message, "Delivered to 1 of 1 device");
  await desk.phone.next();
  assert.equal(pocketDevice.phone.requests.length, 0);
  const wrongKeyKind = { status: 401, code: "wrong_key_kind" };
  await assert.rejects(ann.withKey(team.key).notifyGroup(id, HELLO), wrongKeyKind);
  const responses = await Promise.all(
    [id, "0197f0a0-0000-7000-8000-000000000000", "nothing"].map((group) =>
      sendRaw(app, bob, group),
    ),
  );
  const [otherAccount, ...missing] = responses;
  assert.equal(otherAccount?.status, 400);
  for (const response of missing) assert.deepEqual(otherAccount, response);
  assert.equal(desk.phone.requests.length, 1);
});

/** Sends to a group; returns the response's status, and its text without the request id. */
async function sendRaw({ url }: TestApp, { key }: TestPerson, groupId: string) {
  const response = await fetch(`${url}/api/v1/notify/group/${groupId}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify(HELLO),
  });
  const text = await response.text();
  return { status: response.status, text: text.replace(/"requestId":"[^"]+"/, '"requestId":""') };
}

test("an invitation works only for its own email address", async (t) => {
  const { mail: mailServer, environment } = await startMailServer(t);
  const { app, ann, team } = await startInvitationServer(t, environment);
  await ann.client.management.invite({ team: team.key, email: BOB_EMAIL });
  const token = parseLinkToken(findLink(await waitForMailToBob(mailServer)));
  await assert.rejects(signUp(app, "Eve", token), { status: 403, code: "wrong_account" });
  const anonymous = createClient({ baseUrl: app.url });
  await assert.rejects(anonymous.invitations.acceptToken(token), { status: 401 });
});
