import assert from "node:assert/strict";
import test from "node:test";
import { createClient } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../support/app.ts";

const TIMESTAMP_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HELLO = { title: "Hello", body: "World" };
const INVALID_KEY = { status: 401, code: "invalid_key" };

test("a session and an access token return the same account, and a request without either is refused", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const me = { id: ann.accountId, email: "ann@example.org", name: "Ann", isAdmin: false };
  assert.deepEqual(await ann.client.me(), me);
  const browser = createClient({ baseUrl: app.url });
  await browser.signIn({ email: ann.email, password: "password of Ann" });
  assert.deepEqual(await browser.me(), me);
  await browser.signOut();
  await assert.rejects(browser.me(), { status: 401, code: "unauthenticated" });
  await assert.rejects(app.anonymous.me(), { status: 401, code: "unauthenticated" });
});

test("an access token signs in until it is revoked, and the list of tokens never contains it", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { id, token } = await ann.client.accessTokens.create({ label: "Laptop" });
  const laptop = createClient({ baseUrl: app.url, accessToken: token });
  assert.equal((await laptop.me()).id, ann.accountId);
  const { items, nextCursor } = await laptop.accessTokens.list();
  const [newest] = items;
  assert.deepEqual([newest?.id, newest?.label, nextCursor], [id, "Laptop", null]);
  assert.match(newest?.createdAt ?? "", TIMESTAMP_PATTERN);
  assert.match(newest?.lastUsedAt ?? "", TIMESTAMP_PATTERN);
  assert.ok(!JSON.stringify(items).includes(token));
  await laptop.accessTokens.remove(id);
  await assert.rejects(laptop.me(), { status: 401, code: "unauthenticated" });
  await assert.rejects(ann.client.accessTokens.remove(id), { status: 404, code: "not_found" });
  for (const accessToken of ["", "x", token.toUpperCase(), `${token}x`]) {
    await assert.rejects(createClient({ baseUrl: app.url, accessToken }).me(), { status: 401 });
  }
});

test("a new key is shown once, and listed without its secret", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const issued = await ann.client.keys.create({ kind: "account", label: "CI" });
  const { key, ...listed } = issued;
  assert.match(key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(
    [listed.kind, listed.teamId, listed.label, listed.hint, listed.lastUsedAt, listed.expiresAt],
    ["account", null, "CI", key.slice(-4), null, null],
  );
  assert.match(listed.createdAt, TIMESTAMP_PATTERN);
  const { items } = await ann.client.keys.list();
  assert.deepEqual(
    items.find(({ id }) => id === issued.id),
    listed,
  );
  assert.ok(!JSON.stringify(items).includes(key));
});

test("a rotated key sends until the overlap ends, and a removed key does not send", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const issued = await ann.client.keys.create({ kind: "account", label: "CI" });
  const overlapping = await ann.client.keys.rotate(issued.id, { overlapSeconds: 60 });
  for (const apiKey of [issued.key, overlapping.key]) {
    assert.equal((await ann.withKey(apiKey).notify(HELLO)).success, true);
  }
  const lastKey = await ann.client.keys.rotate(overlapping.id, { overlapSeconds: 0 });
  await assert.rejects(ann.withKey(overlapping.key).notify(HELLO), INVALID_KEY);
  await ann.client.keys.remove(lastKey.id);
  await assert.rejects(ann.withKey(lastKey.key).notify(HELLO), INVALID_KEY);
  await assert.rejects(ann.client.keys.remove(lastKey.id), { status: 404, code: "not_found" });
});

test("a team key reaches the team, and is revoked when the team is removed", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const team = await ann.client.teams.create({ name: "Ops" });
  const { key } = await ann.client.keys.create({ kind: "team", teamId: team.id, label: "Pager" });
  for (const apiKey of [key, team.key]) {
    assert.equal((await ann.withKey(apiKey).notify(HELLO)).success, true);
  }
  const { items } = await ann.client.keys.list();
  assert.equal(items.filter(({ teamId }) => teamId === team.id).length, 2);
  await ann.client.teams.remove(team.id);
  for (const apiKey of [key, team.key]) {
    await assert.rejects(ann.withKey(apiKey).notify(HELLO), INVALID_KEY);
  }
});

test("invalid options of a key, a rotation or a list of keys are refused", async (t) => {
  const app = await startApp(t);
  const { client } = await signUp(app, "Ann");
  const createFieldError = (field: string) => ({ status: 400, code: "invalid_field", field });
  const past = "2020-01-01T00:00:00.000Z";
  await assert.rejects(
    client.keys.create({ kind: "account", expiresAt: past }),
    createFieldError("expiresAt"),
  );
  await assert.rejects(client.keys.create({ kind: "team", teamId: "nobody's" }), { status: 404 });
  const { id } = await client.keys.create({ kind: "account" });
  await assert.rejects(
    client.keys.rotate(id, { overlapSeconds: -1 }),
    createFieldError("overlapSeconds"),
  );
  await assert.rejects(client.keys.list({ limit: 201 }), createFieldError("limit"));
});
