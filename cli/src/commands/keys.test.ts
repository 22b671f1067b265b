import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { signUp, startApp } from "../../../server/test/support/app.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { runTocsin } from "../tocsin.fixture.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Starts a server with an account that is signed in on the command line. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const environment = { XDG_CONFIG_HOME: await createTemporaryFolder(t), TOCSIN_URL: app.url };
  const run = (...args: readonly string[]) => runTocsin(args, { environment });
  const login = ["login", "--email", ann.email, "--password-stdin"];
  assert.equal((await runTocsin(login, { environment, input: "password of Ann\n" })).code, 0);
  return { app, ann, run };
}

test("a created key is listed, and sends until it is revoked", async (t) => {
  const { app, run } = await setUp(t);
  const created = await run(
    "key",
    "create",
    "--label",
    "backups",
    "--expires",
    "90d",
    "--post-only",
  );
  assert.deepEqual([created.code, created.stderr], [0, ""]);
  const [, key = "", id = ""] =
    /^API key {2}(\S+) {2}\(shown only now: keep it\)\nId {7}(\S+) /.exec(created.stdout) ?? [];
  const notify = () =>
    createClient({ baseUrl: app.url, apiKey: key }).notify({ title: "T", body: "" });
  assert.deepEqual((await notify()).responses, []);
  const listed = await run("keys");
  assert.match(listed.stdout, /^LABEL +KEY +SENDS TO +LAST USED +EXPIRES +ID\n/);
  assert.match(
    listed.stdout,
    new RegExp(`^backups +…${key.slice(-4)} {2}your account, by POST only .*${id}$`, "m"),
  );
  assert.ok(!listed.stdout.includes(key));
  const { items } = JSON.parse((await run("keys", "--json")).stdout);
  const item = items.find((item: { readonly id: string }) => item.id === id);
  const daysAhead = (Date.parse(item.expiresAt) - Date.now()) / DAY_MS;
  assert.ok(daysAhead > 89 && daysAhead < 91, item.expiresAt);
  assert.deepEqual(await run("key", "revoke", id), {
    code: 0,
    stdout: `${id}  revoked\n`,
    stderr: "",
  });
  await assert.rejects(notify(), { code: "invalid_key" });
  const again = await run("key", "revoke", id, "--json");
  assert.equal(again.code, 3);
  assert.equal(JSON.parse(again.stdout).error.code, "not_found");
});

test("--dialect creates a key in the form that the programs of an API accept", async (t) => {
  const { ann, run } = await setUp(t);
  const options = ["--dialect", "Gotify", "--channel", "backups", "--json"];
  const created = await run("key", "create", ...options);
  assert.equal(created.code, 0, created.stderr);
  const { id, key, dialect, channel } = JSON.parse(created.stdout);
  assert.match(key, /^A[A-Za-z0-9]{14}$/);
  assert.deepEqual([dialect, channel], ["gotify", "backups"]);
  const { items } = await ann.client.keys.list();
  assert.equal(items.find((item) => item.id === id)?.dialect, "gotify");
  const other = await run("key", "create", "--dialect", "carrier-pigeon");
  assert.equal(other.code, 2);
  assert.match(other.stderr, /--dialect is one of ntfy, gotify, pushover\./);
});

test("a key for Pushover's programs is printed with the user key that they need beside it", async (t) => {
  const { run } = await setUp(t);
  const created = await run("key", "create", "--dialect", "pushover");
  assert.match(created.stdout, /^API key {2}a[A-Za-z0-9]{29} /m);
  assert.match(created.stdout, /^User key u[A-Za-z0-9]{29} /m);
  const other = await run("key", "create", "--dialect", "gotify");
  assert.doesNotMatch(other.stdout, /User key/);
});

test("--team accepts the team's name, and the list shows it", async (t) => {
  const { ann, run } = await setUp(t);
  const { id: teamId } = await ann.client.teams.create({ name: "Night watch" });
  const created = await run("key", "create", "--team", "night watch", "--json");
  assert.equal(created.code, 0, created.stderr);
  assert.deepEqual(
    [JSON.parse(created.stdout).kind, JSON.parse(created.stdout).teamId],
    ["team", teamId],
  );
  assert.match((await run("keys")).stdout, /team Night watch/);
});

test("invalid input is reported with its remedy, and creates no key", async (t) => {
  const { ann, run } = await setUp(t);
  const countBefore = (await ann.client.keys.list()).items.length;
  const cases: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
    [["key", "create", "--expires", "2020-01-31"], /--expires must be a time in the future/],
    [["key", "create", "--expires", "soon"], /--expires must be a time such as/],
    [["key", "create", "--team", "Nobody"], /You have no team of that id or name/],
    [["key", "revoke"], /Give the ID of one API key/],
    [["key", "revoke", ann.key], /Give the ID of one API key/],
    [["keys", "create"], /Did you mean tocsin key create\?/],
    [["key", "list"], /There is: keys, key create, key revoke/],
  ];
  for (const [args, reason] of cases) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, reason);
    assert.ok(!stderr.includes(ann.key));
  }
  const longLabel = await run("key", "create", "--label", "x".repeat(81));
  assert.equal(longLabel.code, 3);
  assert.equal((await ann.client.keys.list()).items.length, countBefore);
});
