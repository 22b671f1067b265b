import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { getNotificationId } from "../support/notification-records.ts";
import { findMemberId } from "../support/team-members.ts";

const HELLO = { title: "Hello", body: "World" };
const STEPS = [{ afterSeconds: 0, targets: [{ kind: "me" }] }] as const;

test("a deleted account cannot sign in, and the tables of accounts and sends contain none of its data", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const password = "password of Ann";
  await addDevice(app, ann, "Ann's phone");
  await ann.client.groups.create({ name: "Desk", deviceIds: [] });
  await ann.client.escalationPolicies.create({ name: "Giraffe", steps: STEPS });
  await ann.client.notify({ ...HELLO, title: "zebra" });
  const { promptId = "" } = await ann.client.notify({ ...HELLO, choices: ["walrus", "no"] });
  await ann.client.prompts.answer(promptId, { choice: "walrus" });
  await ann.client.keys.create({ kind: "account", label: "Pager" });
  const ben = await signUp(app, "Ben");
  const { id: teamId } = await ben.client.teams.create({ name: "Ops" });
  await ben.client.teams.invite(teamId, { email: ann.email });
  await insertPendingMail(app, ann.email);
  const browser = createClient({ baseUrl: app.url });
  await browser.signIn({ email: ann.email, password });
  await browser.profile.delete();
  assert.deepEqual(await browser.session(), { account: null });
  await assert.rejects(ann.client.me(), { status: 401 });
  await assert.rejects(browser.signIn({ email: ann.email, password }), { status: 401 });
  await assert.rejects(ann.client.notify(HELLO), { status: 401, code: "invalid_key" });
  const allRows = await readAccountTables(app);
  for (const trace of [
    "ann@example.org",
    // Includes a quotation mark, because a random token may contain the three letters.
    '"Ann',
    "zebra",
    "/push/",
    "Desk",
    "Giraffe",
    "Pager",
    "walrus",
  ]) {
    assert.ok(!allRows.includes(trace), `${trace} in ${allRows}`);
  }
  const newAnn = await signUp(app, "Ann");
  assert.notEqual(newAnn.accountId, ann.accountId);
  assert.deepEqual((await newAnn.client.feed.list()).items, []);
});

test("the only owner of a team cannot delete the account until the team has another owner", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  await addDevice(app, ann);
  const ops = await ann.client.teams.create({ name: "Ops" });
  const dev = await ben.client.teams.create({ name: "Dev" });
  await insertMembership(app, { person: ann, teamId: dev.id });
  await insertMembership(app, { person: ben, teamId: ops.id });
  const password = "password of Ann";
  await assert.rejects(ann.client.profile.delete({ password }), (error) => {
    assert.ok(error instanceof Error && "code" in error && error.code === "last_owner");
    return error.message.includes("Ops") && !error.message.includes("Dev");
  });
  assert.equal((await ann.client.teams.list()).items.length, 2);
  assert.equal((await ann.client.notify(HELLO)).success, true);
  await ann.client.teams.updateMember(ops.id, await findMemberId(ann, ops.id, ben), {
    role: "owner",
  });
  await ann.client.profile.delete({ password });
  const { members } = await ben.client.teams.get(ops.id);
  assert.deepEqual(
    members.map(({ name }) => name),
    ["Ben"],
  );
});

test("a team keeps its log and its keys after a member deletes their account", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const ops = await ann.client.teams.create({ name: "Ops" });
  await insertMembership(app, { person: ben, teamId: ops.id });
  const { phone } = await addDevice(app, ann, "Ann's phone");
  await addDevice(app, ben, "Ben's phone");
  const id = getNotificationId(await ann.withKey(ops.key).notify(HELLO));
  await ann.client.teams.updateMember(ops.id, await findMemberId(ann, ops.id, ben), {
    role: "owner",
  });
  await ann.client.profile.delete({ password: "password of Ann" });

  const { deliveries, counts } = await ben.client.notifications.get(id);
  assert.deepEqual(
    deliveries.map(({ deviceName, state }) => `${deviceName}: ${state}`).toSorted(),
    ["Ben's phone: accepted", "Removed device: accepted"],
  );
  assert.equal(counts.accepted, 2);
  const requestsBefore = phone.requests.length;
  const { responses } = await ben.withKey(ops.key).notify(HELLO);
  assert.equal(responses.length, 1);
  assert.equal(phone.requests.length, requestsBefore);
});

test("an access token, or a session that is not recent, needs the password to delete the account", async (t) => {
  const app = await startApp(t);
  const { client, accountId } = await signUp(app, "Ann");
  const passwordRequired = { status: 403, code: "password_required", field: "password" };
  await assert.rejects(client.profile.delete(), passwordRequired);
  await assert.rejects(client.profile.delete({ password: "wrong" }), { field: "password" });
  const browser = createClient({ baseUrl: app.url });
  await browser.signIn({ email: "ann@example.org", password: "password of Ann" });
  const { db } = app.app.context.database;
  const elevenMinutesAgo = new Date(Date.now() - 11 * 60_000).toISOString();
  await db.updateTable("session").set({ created_at: elevenMinutesAgo }).execute();
  await assert.rejects(browser.profile.delete(), passwordRequired);
  assert.equal((await client.me()).id, accountId);
});

const EXPORTED_NAMES = [
  "exportedAt",
  "account",
  "sessions",
  "accessTokens",
  "passkeys",
  "audit",
  "apiKeys",
  "devices",
  "connectedApps",
  "deviceGroups",
  "teams",
  "escalationPolicies",
  "feed",
  "notifications",
  "incidents",
  "incidentActs",
  "prompts",
];

test("an export contains all pages of the account's data, and no secrets", async (t) => {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0" } });
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  const { device, phone } = await addDevice(app, ann, "Ann's phone");
  const group = await ann.client.groups.create({ name: "Desk", deviceIds: [device.id] });
  const policy = await createPolicy(ann);
  const team = await ben.client.teams.create({ name: "Ops" });
  await insertMembership(app, { person: ann, teamId: team.id });
  const notificationCount = 101;
  for (let count = 0; count < notificationCount; count += 1) await ann.client.notify(HELLO);
  await ben.client.notify({ ...HELLO, title: "Ben's own" });
  const teamNotificationId = getNotificationId(
    await ben.withKey(team.key).notify({ ...HELLO, title: "To the team" }),
  );

  const text = await new Response(await ann.client.profile.export()).text();
  // The server writes this shape.
  const exportedAccount = JSON.parse(text) as Record<string, Record<string, unknown>[]> & {
    account: { email: string };
  };
  assert.equal(exportedAccount.account.email, ann.email);
  assert.deepEqual(Object.keys(exportedAccount), EXPORTED_NAMES);
  assert.equal(exportedAccount["sessions"]?.length, 1);
  assert.equal(exportedAccount["devices"]?.[0]?.["name"], "Ann's phone");
  assert.equal(exportedAccount["deviceGroups"]?.[0]?.["id"], group.id);
  assert.equal(exportedAccount["teams"]?.[0]?.["name"], "Ops");
  assert.deepEqual(exportedAccount["escalationPolicies"], [policy]);
  assert.equal(exportedAccount["apiKeys"]?.[0]?.["hint"], ann.key.slice(-4));
  assert.equal(exportedAccount["apiKeys"]?.[0]?.["postOnly"], false);
  assert.equal(exportedAccount["apiKeys"]?.[0]?.["hasCallbackSecret"], false);
  assert.equal(exportedAccount["apiKeys"]?.[0]?.["dialect"], null);
  assert.equal(exportedAccount["feed"]?.length, notificationCount + 1);
  assert.equal(exportedAccount["feed"]?.[0]?.["id"], teamNotificationId);
  assert.equal(exportedAccount["notifications"]?.length, notificationCount);
  assert.equal(
    new Set(exportedAccount["notifications"]?.map(({ id }) => id)).size,
    notificationCount,
  );
  assert.match(
    JSON.stringify(exportedAccount["notifications"]?.[0]?.["deliveries"]),
    /"state":"accepted"/,
  );
  const { endpoint, keys } = phone.subscription;
  const secrets = [ann.key, team.key, new URL(endpoint).pathname, keys.auth, "Ben's own"];
  for (const secret of secrets) assert.ok(!text.includes(secret), secret);
});

test("an export contains only the account's own prompts, with their answers", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const ben = await signUp(app, "Ben");
  await ben.client.notify({ ...HELLO, choices: ["yes", "no"] });
  const { promptId = "" } = await ann.client.notify({ ...HELLO, choices: ["yes", "no"] });
  await ann.client.prompts.answer(promptId, { choice: "yes" });
  const exported = Object(await new Response(await ann.client.profile.export()).json());
  assert.deepEqual(exported.prompts, [await ann.client.prompts.get(promptId)]);
  assert.deepEqual(exported.incidents, []);
});

test("an export is a download, and at most five are allowed in an hour", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const { token } = await client.accessTokens.create({ label: "x" });
  const headers = { authorization: `Bearer ${token}` };
  const requestExport = () => fetch(`${app.url}/api/app/v1/me/export`, { headers });
  const first = await requestExport();
  assert.match(first.headers.get("content-disposition") ?? "", /^attachment; filename=/);
  assert.match(first.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(first.headers.get("content-length"), null);
  await first.json();
  for (let count = 1; count < 5; count += 1) await (await requestExport()).json();
  assert.equal((await requestExport()).status, 429);
});

/** Creates an escalation policy; returns the policy in the form of an export, without its current recipients. */
async function createPolicy({ client }: TestPerson) {
  const newPolicy = { name: "Nights", steps: STEPS, remindAfterSeconds: 600 };
  const policy = await client.escalationPolicies.create(newPolicy);
  const { id, createdAt, updatedAt } = policy;
  return { id, ...newPolicy, createdAt, updatedAt };
}

async function insertMembership(
  { app }: TestApp,
  { person, teamId }: { readonly person: TestPerson; readonly teamId: string },
): Promise<void> {
  const { database, newId, now } = app.context;
  const membership = { role: "member", joined_at: now(), left_at: null } as const;
  const row = { id: newId(), team_id: teamId, account_id: person.accountId, ...membership };
  await database.db.insertInto("team_member").values(row).execute();
}

/** Inserts an email that waits in the outbox. */
async function insertPendingMail({ app }: TestApp, recipient: string): Promise<void> {
  const { database, newId, now } = app.context;
  const inOneHour = now() + 3_600_000;
  const content = { purpose: "invitation", subject: "Hello", text: "", link: "" } as const;
  const times = { created_at: now(), run_at: inOneHour, attempts: 1, held_ms: 0 };
  const row = { id: newId(), recipient, ...content, ...times };
  await database.db.insertInto("mail_message").values(row).execute();
}

/** Returns, as JSON, all rows of the tables that hold data of accounts, devices, teams and sends. */
async function readAccountTables({ app }: TestApp): Promise<string> {
  const { db } = app.context.database;
  const tables = [
    "account",
    "session",
    "credential",
    "verification",
    "access_token",
    "two_factor",
    "backup_code",
    "passkey",
    "challenge",
    "team_member",
    "invitation",
    "api_key",
    "device",
    "device_group",
    "device_group_member",
    "escalation_policy",
    "notification",
    "feed_entry",
    "feed_read",
    "incident",
    "incident_event",
    "incident_audience",
    "prompt",
    "prompt_answer",
    "timer",
    "send_job",
    "delivery_page",
    "mail_message",
    "alarm_mail_hour",
    "audit_event",
  ] as const;
  const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
  return JSON.stringify(rows);
}

test("a key created during the deletion of its account is refused", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const keys: string[] = [];
  const creators = Array.from({ length: 12 }, async () => {
    for (;;) keys.push((await ann.client.keys.create({ kind: "account" })).key);
  }).map((creator) => creator.catch(() => {}));
  await ann.client.profile.delete({ password: "password of Ann" });
  await Promise.all(creators);
  assert.ok(keys.length > 0);
  for (const key of keys) {
    await assert.rejects(ann.withKey(key).notify(HELLO), { code: "invalid_key" });
  }
});
