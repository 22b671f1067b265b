import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { temporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { tocsin } from "../tocsin.fixture.ts";

/** Signs a person in on the command line. */
async function startSignedIn(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const environment = { XDG_CONFIG_HOME: await temporaryFolder(t), TOCSIN_URL: app.url };
  const run = (...args: readonly string[]) => tocsin(args, { environment });
  const login = ["login", "--email", ann.email, "--password-stdin"];
  assert.equal((await tocsin(login, { environment, input: "password of Ann\n" })).code, 0);
  return { app, ann, run };
}

test("a key is created, listed, and revoked, and sends until then", async (t) => {
  const { app, run } = await startSignedIn(t);
  const made = await run("key", "create", "--label", "backups", "--expires", "90d", "--post-only");
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  const [, key = "", id = ""] =
    /^API key {2}(\S+) {2}\(shown this once: keep it\)\nId {7}(\S+) /.exec(made.stdout) ?? [];
  const send = () =>
    createClient({ baseUrl: app.url, apiKey: key }).notify({ title: "T", body: "" });
  assert.deepEqual((await send()).responses, []);
  const listed = await run("keys");
  assert.match(listed.stdout, /^LABEL +KEY +SENDS TO +LAST USED +EXPIRES +ID\n/);
  assert.match(
    listed.stdout,
    new RegExp(`^backups +…${key.slice(-4)} {2}your account, by POST only .*${id}$`, "m"),
  );
  assert.ok(!listed.stdout.includes(key));
  const { items } = JSON.parse((await run("keys", "--json")).stdout);
  const item = items.find((item: { readonly id: string }) => item.id === id);
  const daysAhead = (Date.parse(item.expiresAt) - Date.now()) / 86_400_000;
  assert.ok(daysAhead > 89 && daysAhead < 91, item.expiresAt);
  assert.deepEqual(await run("key", "revoke", id), {
    code: 0,
    stdout: `${id}  revoked\n`,
    stderr: "",
  });
  await assert.rejects(send(), { code: "invalid_key" });
  const again = await run("key", "revoke", id, "--json");
  assert.equal(again.code, 3);
  assert.equal(JSON.parse(again.stdout).error.code, "not_found");
});

test("a team's key is created by the team's name, and listed with it", async (t) => {
  const { ann, run } = await startSignedIn(t);
  const { id: teamId } = await ann.client.teams.create({ name: "Night watch" });
  const made = await run("key", "create", "--team", "night watch", "--json");
  assert.equal(made.code, 0, made.stderr);
  assert.deepEqual(
    [JSON.parse(made.stdout).kind, JSON.parse(made.stdout).teamId],
    ["team", teamId],
  );
  assert.match((await run("keys")).stdout, /team Night watch/);
});

test("devices are listed with their state and last delivery", async (t) => {
  const { app, ann, run } = await startSignedIn(t);
  assert.match((await run("devices")).stdout, /^No device is signed in\./);
  const { device } = await addDevice(app, ann, "Ann's phone");
  const other = await addDevice(app, ann, "携帯");
  await ann.client.notify({ title: "Hello", body: "" });
  await ann.client.devices.update(other.device.id, { paused: true });
  const { code, stdout, stderr } = await run("devices");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^NAME +PLATFORM +PUSH +STATE +LAST DELIVERY +ID\n/);
  assert.match(
    stdout,
    new RegExp(`^Ann's phone {2}web .* on .*accepted \\d{4}-.* ${device.id}$`, "m"),
  );
  // Two characters of two columns each, padded by seven columns to the width of the first column.
  assert.match(stdout, /^携帯 {9}web .* paused /m);
  const { items } = JSON.parse((await run("devices", "--json")).stdout);
  assert.deepEqual(items, (await ann.client.devices.list()).items);
});

test("wrong input is reported with its remedy, and creates neither a key nor a request", async (t) => {
  const { ann, run } = await startSignedIn(t);
  const before = (await ann.client.keys.list()).items.length;
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [["key", "create", "--expires", "2020-01-31"], /--expires is a time in the future/],
    [["key", "create", "--expires", "soon"], /--expires is a time such as/],
    [["key", "create", "--team", "Nobody"], /You have no team of that id or name/],
    [["key", "revoke"], /Give the ID of one API key/],
    [["key", "revoke", ann.key], /Give the ID of one API key/],
    [["keys", "create"], /Did you mean tocsin key create\?/],
    [["key", "list"], /There is: keys, key create, key revoke/],
  ];
  for (const [args, reason] of wrong) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, reason);
    assert.ok(!stderr.includes(ann.key));
  }
  const long = await run("key", "create", "--label", "x".repeat(81));
  assert.equal(long.code, 3);
  assert.equal((await ann.client.keys.list()).items.length, before);
});
