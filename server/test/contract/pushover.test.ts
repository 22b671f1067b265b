import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { formatPushoverUserKey } from "@tocsin/sdk";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts";
import { requestJson, type TestRequest } from "./http-requests.ts";

/** Starts a server where Ann has a phone, and a key for programs that speak Pushover's API. */
async function setUp(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const app = await startApp(t, { environment: { TOCSIN_RATE_LIMIT_PER_S: "0", ...environment } });
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  const request = { kind: "account", dialect: "pushover", label: "cron", channel: "jobs" } as const;
  const { key: token, userKey } = await ann.client.keys.create(request);
  const user = userKey ?? assert.fail("A key for Pushover has no user key.");
  const post = (request: Partial<TestRequest>) =>
    requestJson(app.url, { method: "POST", path: "/1/messages.json", ...request });
  const sendTo = async (fields: Readonly<Record<string, unknown>>) => {
    const { status, text } = await post({ body: { token, user, message: "42 GB", ...fields } });
    return { status, ...JSON.parse(text) };
  };
  const readFirst = async () => {
    const [item] = (await ann.client.feed.list()).items;
    return item ?? assert.fail("The feed is empty.");
  };
  return { app, ann, phone, device, token, user, post, sendTo, readFirst };
}

test("a message arrives on the phone and in the feed, and the response is like Pushover's", async (t) => {
  const { post, token, user, phone, readFirst } = await setUp(t);
  assert.match(token, /^a[A-Za-z0-9]{29}$/);
  assert.match(user, /^u[A-Za-z0-9]{29}$/);
  const body = { token, user, message: "<b>42</b> GB", html: 1, title: "Backup", priority: "1" };
  const { status, headers, text } = await post({ body });
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(text), { status: 1, request: headers["x-request-id"] });
  const { notification } = JSON.parse((await phone.next()).text);
  assert.equal(headers["x-notification-id"], notification.data.id);
  const item = await readFirst();
  assert.deepEqual(
    [item.title, item.body, item.channel, item.priority, item.timeSensitive],
    ["Backup", "42 GB", "jobs", "high", true],
  );
});

test("a message is read from JSON, a form, a multipart form and a query", async (t) => {
  const { post, token, user, ann } = await setUp(t);
  const fields = (message: string) => `token=${token}&user=${user}&message=${message}`;
  const part = (name: string, value: string) =>
    `--3f9c1e7a\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parts = [part("token", token), part("user", user), part("message", "multipart")].join("");
  const picture = `--3f9c1e7a\r\nContent-Disposition: form-data; name="attachment"; filename="a.jpg"\r\n\r\n${"x".repeat(2_000_000)}`;
  const multipart = { "content-type": "multipart/form-data; boundary=3f9c1e7a" };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  for (const request of [
    { body: { token, user, message: "json" } },
    { headers: form, body: fields("form") },
    { headers: multipart, body: `${parts}--3f9c1e7a--\r\n` },
    { headers: multipart, body: `${parts}${picture}\r\n--3f9c1e7a--\r\n` },
    { headers: { "content-type": "text/plain" }, path: `/1/messages.json?${fields("query")}` },
    { path: `//1/messages.json?${fields("slash")}` },
  ]) {
    const { status, text } = await post(request);
    assert.equal(status, 200, text);
  }
  const { items } = await ann.client.feed.list();
  assert.deepEqual(items.map(({ title, body }) => `${title}: ${body}`).toReversed(), [
    "cron: json",
    "cron: form",
    "cron: multipart",
    "cron: multipart",
    "cron: query",
    "cron: slash",
  ]);
});

test("wrong and missing tokens get identical responses, and a token has no other place", async (t) => {
  const { app, post, token, user } = await setUp(t);
  const { key: gotifyKey } = await (
    await signUp(app, "Bob")
  ).client.keys.create({ kind: "account", dialect: "gotify" });
  for (const request of [
    {},
    { body: { user, message: "m" } },
    { body: { token: "", user, message: "m" } },
    { body: { token: 7, user, message: "m" } },
    { body: { token: `${token.slice(0, -1)}-`, user, message: "m" } },
    { body: { token: randomUUID(), user, message: "m" } },
    { body: { token: gotifyKey, user, message: "m" } },
    { headers: { authorization: `Bearer ${token}` }, body: { user, message: "m" } },
    { headers: { "x-api-key": token }, body: { user, message: "m" } },
    { path: `/1/users/validate.json?user=${user}` },
  ]) {
    const { status, headers, text } = await post(request);
    assert.equal(status, 400, text);
    const { request: id, ...rest } = JSON.parse(text);
    assert.equal(id, headers["x-request-id"]);
    const errors = ["application token is invalid"];
    assert.deepEqual(rest, { token: "invalid", errors, status: 0 });
    assert.equal(headers["x-limit-app-limit"], undefined);
  }
  const notify = { method: "POST", path: "/api/v1/notify", headers: { "x-api-key": token } };
  const body = { title: "T", body: "" };
  assert.equal((await requestJson(app.url, { ...notify, body })).status, 401);
});

test("a network with many wrong tokens is rate-limited, but its valid tokens still send", async (t) => {
  const { post, sendTo, user } = await setUp(t);
  const statuses = new Set<number>();
  for (let count = 0; count < 40; count += 1) {
    const body = { token: randomUUID(), user, message: "m" };
    statuses.add((await post({ body })).status);
  }
  assert.deepEqual([...statuses], [400, 429]);
  assert.equal((await sendTo({})).status, 1);
});

test("a user key selects only what the key reaches", async (t) => {
  const { app, ann, sendTo, user, phone } = await setUp(t);
  const bob = await signUp(app, "Bob");
  const { phone: tablet, device } = await addDevice(app, ann);
  const ownGroup = await ann.client.groups.create({ name: "Tablets", deviceIds: [device.id] });
  const bobsGroup = await bob.client.groups.create({ name: "Bob's", deviceIds: [] });
  const { id: teamId } = await ann.client.teams.create({ name: "Ops" });
  const team = await ann.client.keys.create({ kind: "team", teamId, dialect: "pushover" });
  const bobsKey = await bob.client.keys.create({ kind: "account", dialect: "pushover" });
  const groupKey = (id: string) => formatPushoverUserKey({ kind: "group", id });
  assert.equal(team.userKey, groupKey(teamId));
  assert.equal((await sendTo({ user: groupKey(ownGroup.id), message: "group" })).status, 1);
  assert.match((await tablet.next()).text, /group/);
  assert.equal((await sendTo({ message: "all" })).status, 1);
  assert.match((await tablet.next()).text, /all/);
  assert.match((await phone.next()).text, /all/);
  const teamFields = { token: team.key, user: team.userKey };
  assert.equal((await sendTo({ ...teamFields, message: "team" })).status, 1);
  assert.match((await phone.next()).text, /team/);
  const ownGroupWithTeamKey = { user: groupKey(ownGroup.id), token: team.key };
  for (const fields of [
    { user: "" },
    { user: ann.key },
    { user: groupKey(bobsGroup.id) },
    { user: groupKey(teamId) },
    { user: groupKey(randomUUID()) },
    { user: bobsKey.userKey },
    { user: user.replace("u", "g") },
    { user, token: team.key },
    ownGroupWithTeamKey,
  ]) {
    const { request, ...rest } = await sendTo(fields);
    const errors = ["user identifier is not a valid user or group key"];
    assert.deepEqual(rest, { user: "invalid", errors, status: 0 }, JSON.stringify(fields));
    assert.match(request, /^[0-9a-f-]{36}$/);
  }
});

test("the parameter device selects one device, and an unknown name selects all", async (t) => {
  const { app, ann, sendTo, phone } = await setUp(t);
  const { phone: tablet, device } = await addDevice(app, ann);
  await ann.client.devices.update(device.id, { name: "Ann's tablet" });
  assert.equal((await sendTo({ message: "one", device: "ann-s-tablet" })).status, 1);
  assert.match((await tablet.next()).text, /one/);
  assert.equal((await sendTo({ message: "unknown", device: "gameboy" })).status, 1);
  assert.match((await tablet.next()).text, /unknown/);
  assert.match((await phone.next()).text, /unknown/);
});

test("a user key is checked, with its devices", async (t) => {
  const { ann, token, user, post, device } = await setUp(t);
  await ann.client.devices.update(device.id, { name: "Ann's phone" });
  const validate = async (fields: Readonly<Record<string, unknown>>) => {
    const body = { token, user, ...fields };
    const { headers, text } = await post({ path: "/1/users/validate.json", body });
    assert.match(String(headers["x-limit-app-limit"]), /^\d+$/);
    const { request, ...rest } = JSON.parse(text);
    assert.equal(request, headers["x-request-id"]);
    return rest;
  };
  const valid = { status: 1, group: 0, devices: ["Ann-s-phone"], licenses: ["Desktop"] };
  assert.deepEqual(await validate({}), valid);
  assert.deepEqual(await validate({ device: "ann's phone" }), valid);
  assert.deepEqual(await validate({ device: "gameboy" }), {
    device: "invalid",
    errors: ["device name is not valid for this user"],
    status: 0,
  });
  const { id } = await ann.client.groups.create({ name: "All", deviceIds: [device.id] });
  const group = formatPushoverUserKey({ kind: "group", id });
  const validGroup = { status: 1, group: 1, devices: [], licenses: [] };
  assert.deepEqual(await validate({ user: group }), validGroup);
  assert.equal((await validate({ user: "u" })).user, "invalid");
  assert.equal((await ann.client.feed.list()).items.length, 0);
});

test("a message of priority 2 opens an incident, whose id is the receipt, and is refused without retry", async (t) => {
  const { ann, sendTo, phone, readFirst } = await setUp(t);
  const fields = { priority: 2, retry: "30", expire: "3600", title: "Fire" };
  const { status, receipt } = await sendTo(fields);
  assert.equal(status, 1);
  assert.match((await phone.next()).text, /Fire/);
  assert.equal((await readFirst()).priority, "emergency");
  const incident = await ann.client.incidents.get(receipt);
  assert.deepEqual([incident.state, incident.title], ["triggered", "Fire"]);
  assert.equal((await sendTo({ ...fields, priority: 1 })).receipt, undefined);
  const { errors, retry } = await sendTo({ priority: 2, expire: 60 });
  assert.deepEqual(errors, ["retry must be supplied with priority=2"]);
  assert.equal(retry, "must be supplied with priority=2");
});

test("the headers say how many messages a key may still send", async (t) => {
  const { post, token, user } = await setUp(t, {
    TOCSIN_RATE_LIMIT_PER_S: "1",
    TOCSIN_RATE_LIMIT_BURST: "3",
  });
  const body = { token, user, message: "m" };
  for (const remaining of ["2", "1", "0"]) {
    const { status, headers } = await post({ body });
    assert.equal(status, 200);
    assert.equal(headers["x-limit-app-limit"], "3");
    assert.equal(headers["x-limit-app-remaining"], remaining);
    const resetAt = Number(headers["x-limit-app-reset"]) * 1_000;
    assert.ok(resetAt > Date.now() && resetAt < Date.now() + 400_000);
  }
  const { status, headers, text } = await post({ body });
  assert.equal(status, 429);
  assert.equal(JSON.parse(text).status, 0);
  assert.match(String(headers["retry-after"]), /^\d+$/);
});

test("a repeated Idempotency-Key sends once", async (t) => {
  const { post, token, user, ann } = await setUp(t);
  const headers = { "idempotency-key": "one" };
  const first = await post({ headers, body: { token, user, message: "m" } });
  const second = await post({ headers, body: { token, user, message: "m" } });
  assert.equal(second.headers["x-notification-id"], first.headers["x-notification-id"]);
  assert.equal((await ann.client.feed.list()).items.length, 1);
});

test("messages with hostile texts are accepted", async (t) => {
  const { sendTo } = await setUp(t);
  for (const text of HOSTILE_TEXTS) {
    const fields = { title: `t ${text}`, message: `m ${text}`, url: text, device: text };
    assert.equal((await sendTo(fields)).status, 1, text);
  }
});
