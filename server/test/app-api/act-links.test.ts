import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { pino } from "pino";
import type { MailServer } from "../doubles/mail-server.ts";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { parseLinkToken } from "../support/link-token.ts";
import { addMember } from "../support/team-members.ts";
import { startMailServer } from "../support/start-mail-server.ts";
import { PREVIEWERS } from "./previewers.ts";

const ALARM = { title: "Disk full", body: "x".repeat(2_500), priority: "emergency" } as const;

/** Signs a person up and verifies the email address. */
async function signUpVerified(app: TestApp, mail: MailServer, name: string): Promise<TestPerson> {
  const person = await signUp(app, name);
  await app.anonymous.verifyEmail({ token: await findToken(mail, person, "/verify") });
  return person;
}

async function findToken(
  mail: MailServer,
  { email }: Pick<TestPerson, "email">,
  page: string,
): Promise<string> {
  const links = await eventually(
    async () =>
      mail.mails
        .filter(({ to }) => to.includes(email))
        .flatMap(({ text }) => text?.match(/https?:\/\/\S+#token=\S+/g) ?? [])
        .filter((link) => new URL(link).pathname === page),
    (found) => found.length > 0,
  );
  return parseLinkToken(links.at(-1));
}

/** Opens a team's emergency that rings Ann's phone and sends Ben an email. */
async function mailAlarm(t: TestContext) {
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const { mail, environment } = await startMailServer(t);
  const app = await startApp(t, { environment, log });
  const ann = await signUpVerified(app, mail, "Ann");
  const ben = await signUpVerified(app, mail, "Ben");
  const { phone, credential } = await addDevice(app, ann);
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  const accountId = await addMember(ann, teamId, ben);
  const targets = [{ kind: "team" }, { kind: "mail", accountId }] as const;
  await ann.client.escalationPolicies.create({
    teamId,
    name: "Nights",
    steps: [{ afterSeconds: 0, targets }],
  });
  const alarm = { ...ALARM, escalation: "Nights" };
  const { incidentId: id = "" } = await ann.withKey(key).notify(alarm);
  const token = await findToken(mail, ben, "/a");
  return { app, mail, lines, ann, ben, accountId, teamId, key, id, token, phone, credential };
}

test("an alarm email shows at most 2,000 characters of the notification's body", async (t) => {
  const { mail } = await mailAlarm(t);
  const alarm = mail.mails.find(({ subject }) => subject === "Disk full") ?? assert.fail();
  const text = alarm.text?.replaceAll(/\s/g, "") ?? "";
  assert.ok(text.includes(`${"x".repeat(1_999)}…`));
  assert.ok(!text.includes("x".repeat(2_000)));
});

test("the link in an alarm email acknowledges for its recipient, and a rung device can ring the incident again", async (t) => {
  const { app, lines, ann, id, token, phone, credential } = await mailAlarm(t);
  const preview = await app.anonymous.incidents.lookByLink(token);
  assert.deepEqual(
    [preview.title, preview.state, preview.acknowledgement],
    ["Disk full", "triggered", null],
  );
  assert.equal((await ann.client.incidents.get(id)).state, "triggered");

  const firstAct = await app.anonymous.incidents.acknowledgeByLink(token);
  assert.equal(firstAct.isChanged, true);
  const { acknowledgement } = await ann.client.incidents.get(id);
  assert.deepEqual([acknowledgement?.name, acknowledgement?.via], ["Ben", "mail"]);
  const repeatedAct = await app.anonymous.incidents.acknowledgeByLink(token);
  assert.equal(repeatedAct.isChanged, false);
  assert.match(repeatedAct.message, /already acknowledged by Ben/);

  const messages = [await phone.next(), await phone.next()];
  const buttons = messages.map((message) => JSON.parse(message.text).notification.data.actions);
  assert.deepEqual(buttons, [[["ack", "Acknowledge"]], [["again", "Ring again"]]]);
  await app.anonymous.act(credential, { act: "ring_again", incidentId: id });
  assert.equal((await ann.client.incidents.get(id)).state, "triggered");
  assert.deepEqual(
    lines.filter((line) => line.includes(token)),
    [],
  );
});

test("the push about an acknowledgement without a link has no button to ring again", async (t) => {
  const { ann, id, phone } = await mailAlarm(t);
  await ann.client.incidents.acknowledge(id);
  const messages = [await phone.next(), await phone.next()];
  const { actions } = JSON.parse(messages[1]?.text ?? "").notification.data;
  assert.ok(actions === undefined || actions.length === 0);
});

test("a link shows a resolved incident but changes nothing, and fails once its recipient is removed from the team", async (t) => {
  const { app, ann, key, teamId, accountId, id, token } = await mailAlarm(t);
  await ann.withKey(key).receipts.resolve({ incidentId: id });
  const { title, state, resolution } = await app.anonymous.incidents.lookByLink(token);
  assert.deepEqual([title, state, resolution?.via], ["Disk full", "resolved", "key"]);
  const before = await ann.client.incidents.get(id);
  const lateAct = await app.anonymous.incidents.acknowledgeByLink(token);
  assert.deepEqual([lateAct.isChanged, lateAct.incident.state], [false, "resolved"]);
  assert.deepEqual(await ann.client.incidents.get(id), before);
  await ann.client.teams.removeMember(teamId, accountId);
  const refusal = { status: 403, code: "forbidden" };
  await assert.rejects(app.anonymous.incidents.lookByLink(token), refusal);
  await assert.rejects(app.anonymous.incidents.acknowledgeByLink(token), refusal);
});

test("ten invalid links are refused as unknown, and the next one by the rate limit", async (t) => {
  const { app, token } = await mailAlarm(t);
  const tryForgery = () => app.anonymous.incidents.acknowledgeByLink(`${token}x`);
  for (let count = 0; count < 10; count += 1)
    await assert.rejects(tryForgery(), { status: 404, code: "not_found" });
  await assert.rejects(tryForgery(), { status: 429, code: "rate_limited" });
});

// Law E10 of docs/promises.md.
test("E10: no previewer, scanner or prefetch acts by opening a link", async (t) => {
  const { app, ann, id, token } = await mailAlarm(t);
  const { notificationId } = await ann.client.incidents.get(id);
  const paths = [`/a`, `/a/${token}`, `/a?token=${token}`, `/n/${notificationId}`];
  const apiPath = "/api/app/v1/acts/by-link";
  assert.equal(PREVIEWERS.length, 30);
  for (const headers of PREVIEWERS) {
    for (const path of paths)
      for (const method of ["GET", "HEAD", "OPTIONS"])
        await (await fetch(`${app.url}${path}`, { method, headers })).arrayBuffer();
    for (const method of ["GET", "HEAD"])
      await (await fetch(`${app.url}${apiPath}?token=${token}`, { method, headers })).arrayBuffer();
  }
  const { state, history } = await ann.client.incidents.get(id);
  assert.equal(state, "triggered");
  assert.deepEqual(
    history.filter(({ act }) => act !== null),
    [],
  );
  // The button on the link's page sends this request.
  assert.equal((await app.anonymous.incidents.acknowledgeByLink(token)).isChanged, true);
});

test("a person reached only by email sees and acknowledges the incident, until removed from the team", async (t) => {
  const { mail, environment } = await startMailServer(t);
  const app = await startApp(t, { environment });
  const ann = await signUpVerified(app, mail, "Ann");
  const ben = await signUpVerified(app, mail, "Ben");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Ops" });
  const accountId = await addMember(ann, teamId, ben);
  const targets = [{ kind: "mail", accountId }] as const;
  const steps = [{ afterSeconds: 0, targets }];
  await ann.client.escalationPolicies.create({ teamId, name: "Nights", steps });
  const { incidentId: id = "" } = await ann.withKey(key).notify({ ...ALARM, escalation: "Nights" });
  await findToken(mail, ben, "/a");
  const [listed] = (await ben.client.incidents.list({ state: "open" })).items;
  assert.equal(listed?.id, id);
  assert.equal((await ben.client.feed.list()).items[0]?.incidentId, id);
  assert.equal((await ben.client.incidents.acknowledge(id)).isChanged, true);
  assert.equal((await ben.client.incidents.get(id)).acknowledgement?.name, "Ben");
  await ann.client.teams.removeMember(teamId, accountId);
  const missing = { status: 404, code: "not_found" };
  await assert.rejects(ben.client.incidents.get(id), missing);
  await assert.rejects(ben.client.incidents.resolve(id), missing);
  assert.deepEqual((await ben.client.incidents.list()).items, []);
});

test("a person whose own policy only sends an email can resolve the incident", async (t) => {
  const { mail, environment } = await startMailServer(t);
  const app = await startApp(t, { environment });
  const ann = await signUpVerified(app, mail, "Ann");
  const steps = [{ afterSeconds: 0, targets: [{ kind: "mail" }] }] as const;
  await ann.client.escalationPolicies.create({ name: "Nights", steps });
  const group = await ann.client.groups.create({ name: "Desk", deviceIds: [] });
  const alarm = { ...ALARM, escalation: "Nights" };
  const { incidentId: id = "" } = await ann.client.notifyGroup(group.id, alarm);
  await findToken(mail, ann, "/a");
  assert.equal((await ann.client.incidents.resolve(id)).incident.state, "resolved");
});
