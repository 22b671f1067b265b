import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient, DIALECTS, type Dialect } from "@tocsin/sdk";
import { authenticateByAccountId } from "../../test/support/bearer.ts";
import { insertAccount, startTestServer, createRoomContext } from "../../test/support/context.ts";
import { registerKeyRoutes } from "./routes.ts";
import { KeyVerifier } from "./verify.ts";

interface SetUpOptions {
  readonly dialects?: readonly Dialect[];
}

/** Starts a server that speaks the APIs of these services, by default Gotify's. Ann has an account on it. */
async function setUp(t: TestContext, { dialects = ["gotify"] }: SetUpOptions = {}) {
  const context = await createRoomContext(t);
  const annId = await insertAccount(context, { email: "ann@example.org" });
  const verifier = new KeyVerifier(context, { isListening: true });
  const baseUrl = await startTestServer(t, context, (server) =>
    registerKeyRoutes(server, {
      context,
      authenticate: authenticateByAccountId,
      verifier,
      dialects,
      ntfyUpstream: null,
      isManager: async () => false,
      listManagedTeamIds: async () => [],
    }),
  );
  return { context, verifier, ann: createClient({ baseUrl, accessToken: annId }) };
}

test("a key for a dialect is valid only on the paths of the dialect, and a UUID key on all paths", async (t) => {
  const { ann, verifier } = await setUp(t);
  const { key, ...apiKey } = await ann.keys.create({ kind: "account", dialect: "gotify" });
  assert.match(key, /^A[A-Za-z0-9]{14}$/);
  assert.equal(apiKey.dialect, "gotify");
  assert.equal(apiKey.hint, key.slice(-2));
  assert.equal((await verifier.findSender(key, "gotify"))?.principal.keyId, apiKey.id);
  assert.equal(await verifier.findSender(key, "ntfy"), null);
  assert.equal(await verifier.findPrincipal(key), null);
  const plain = await ann.keys.create({ kind: "account" });
  assert.equal(plain.dialect, null);
  for (const dialect of DIALECTS) {
    const sender = await verifier.findSender(plain.key.toUpperCase(), dialect);
    assert.equal(sender?.principal.keyId, plain.id);
  }
});

test("a key for Pushover has the user key of its account, also after a rotation and a change", async (t) => {
  const { ann } = await setUp(t, { dialects: ["pushover"] });
  const own = await ann.keys.create({ kind: "account", dialect: "pushover" });
  assert.match(own.userKey ?? "", /^u[A-Za-z0-9]{29}$/);
  const rotated = await ann.keys.rotate(own.id);
  const changed = await ann.keys.update(rotated.id, { label: "cron" });
  assert.deepEqual([rotated.userKey, changed.userKey], [own.userKey, own.userKey]);
  const { userKey } = await ann.keys.create({ kind: "account" });
  assert.equal(userKey, null);
  const listed = (await ann.keys.list()).items.map((item) => item.userKey);
  assert.deepEqual(listed, [own.userKey, own.userKey, null]);
});

test("a key cannot be created for an API that the server does not speak", async (t) => {
  const { ann } = await setUp(t);
  await assert.rejects(ann.keys.create({ kind: "account", dialect: "ntfy" }), {
    status: 400,
    code: "invalid_field",
    field: "dialect",
    message: /TOCSIN_DIALECTS/,
  });
  assert.deepEqual((await ann.keys.list()).items, []);
});

test("a sender has the label and the channel of its key, also after they change", async (t) => {
  const { ann, verifier } = await setUp(t);
  const request = {
    kind: "account",
    dialect: "gotify",
    label: "cron",
    channel: "backups",
  } as const;
  const { id, key } = await ann.keys.create(request);
  const readSender = async () => {
    const sender = await verifier.findSender(key, "gotify");
    return [sender?.label, sender?.channel];
  };
  assert.deepEqual(await readSender(), ["cron", "backups"]);
  assert.equal((await ann.keys.update(id, { channel: "nightly" })).channel, "nightly");
  assert.deepEqual(await readSender(), ["cron", "nightly"]);
  assert.equal((await ann.keys.update(id, { channel: null })).channel, null);
  assert.deepEqual(await readSender(), ["cron", null]);
});

test("the channel of a key is one word", async (t) => {
  const { ann } = await setUp(t);
  const { id } = await ann.keys.create({ kind: "account", dialect: "gotify" });
  await assert.rejects(ann.keys.update(id, { channel: "two words" }), { field: "channel" });
});

test("a rotated key has the shape, the dialect and the channel of the old one", async (t) => {
  const { ann, verifier, context } = await setUp(t);
  const request = { kind: "account", dialect: "gotify", channel: "backups" } as const;
  const old = await ann.keys.create(request);
  const next = await ann.keys.rotate(old.id, { overlapSeconds: 60 });
  assert.match(next.key, /^A[A-Za-z0-9]{14}$/);
  assert.deepEqual([next.dialect, next.channel], ["gotify", "backups"]);
  context.clock.advance(60_000);
  assert.equal(await verifier.findSender(old.key, "gotify"), null);
  assert.equal((await verifier.findSender(next.key, "gotify"))?.channel, "backups");
  await ann.keys.remove(next.id);
  assert.equal(await verifier.findSender(next.key, "gotify"), null);
});
