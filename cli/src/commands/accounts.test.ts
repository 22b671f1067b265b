import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import {
  addDevice,
  createDatabaseEnvironment,
  signUp,
  startApp,
} from "../../../server/test/support/app.ts";
import { readRecordedEvents } from "../../../server/test/support/recorded-events.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { runTocsin } from "../tocsin.fixture.ts";

/** Starts a server. `run` runs `tocsin account` on its database, as an operator would. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const { dataDir, url } = app;
  const environment = {
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_BASE_URL: url,
    ...(await createDatabaseEnvironment(t, dataDir)),
  };
  const run = (
    args: readonly string[],
    overrides: Readonly<Record<string, string>> = {},
    input = "",
  ) => runTocsin(["account", ...args], { environment: { ...environment, ...overrides }, input });
  const createAdministrator = async () => {
    const args = ["create", "--email", "op@example.org", "--name", "Op", "--admin", "--json"];
    return JSON.parse((await run(args, {}, "password of Op\n")).stdout).accountId;
  };
  return { app, run, createAdministrator };
}

test("the account list shows role, devices and last visit", async (t) => {
  const { app, run, createAdministrator } = await setUp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  const administratorId = await createAdministrator();
  const { code, stdout, stderr } = await run(["list"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^EMAIL +NAME +ROLE +DEVICES +LAST SEEN +CREATED +ID\n/);
  assert.match(
    stdout,
    new RegExp(`^ann@example.org +Ann +person +1 +\\d{4}-.*${ann.accountId}$`, "m"),
  );
  assert.match(
    stdout,
    new RegExp(`^op@example.org +Op +administrator +0 +– .*${administratorId}$`, "m"),
  );
  const { items } = JSON.parse((await run(["list", "--search", "ann example", "--json"])).stdout);
  assert.deepEqual(
    items.map((account: Readonly<Record<string, unknown>>) => [
      account["id"],
      account["deviceCount"],
    ]),
    [[ann.accountId, 1]],
  );
  assert.equal((await run(["list", "--search", "zoe"])).stdout, "There is no such account.\n");
});

test("a password reset link works once and is recorded in the audit log", async (t) => {
  const { app, run } = await setUp(t);
  const ann = await signUp(app, "Ann");
  const { code, stdout, stderr } = await run(["reset", "--email", "Ann@Example.org"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const [, link = ""] = /^Link {5}(\S+)$/m.exec(stdout) ?? [];
  assert.ok(link.startsWith(`${app.url}/reset-password#token=`), stdout);
  const [, token = ""] = link.split("token=");
  const newPassword = "another password of Ann";
  const client = createClient({ baseUrl: app.url });
  await client.resetPassword({ token, newPassword });
  await client.signIn({ email: ann.email, password: newPassword });
  await assert.rejects(client.resetPassword({ token, newPassword }), { code: "expired" });
  const events = await readRecordedEvents(app.app.context);
  const linkEvent = events.find(({ action }) => action === "reset_link_made");
  assert.deepEqual([linkEvent?.actor.kind, linkEvent?.accountId], ["operator", ann.accountId]);
  const unknownEmailRun = await run(["reset", "--email", "zoe@example.org", "--json"]);
  assert.equal(unknownEmailRun.code, 1);
  assert.equal(JSON.parse(unknownEmailRun.stdout).error.code, "not_found");
});

test("an invitation link creates one account, with the invited email address", async (t) => {
  const { app, run, createAdministrator } = await setUp(t);
  const withoutAdministrator = await run(["invite"]);
  assert.equal(withoutAdministrator.code, 1);
  assert.match(
    withoutAdministrator.stderr,
    /There is no administrator yet\. Make one with tocsin account create --admin/,
  );
  await createAdministrator();
  const created = await run(["invite", "--email", "Bob@example.org", "--json"]);
  assert.equal(created.code, 0, created.stderr);
  const { link, email, expiresAt } = JSON.parse(created.stdout);
  assert.equal(email, "bob@example.org");
  const sixDaysMs = 6 * 24 * 60 * 60 * 1_000;
  assert.ok(Date.parse(expiresAt) > Date.now() + sixDaysMs);
  assert.ok(link.startsWith(`${app.url}/sign-up#token=`), link);
  const [, token] = link.split("token=");
  const applicant = { password: "password of Bob", name: "Bob", token };
  const client = createClient({ baseUrl: app.url });
  await assert.rejects(client.signUp({ ...applicant, email: "zoe@example.org" }), {
    code: "wrong_account",
  });
  await client.signUp({ ...applicant, email });
  const duplicate = await run(["invite", "--email", email]);
  assert.equal(duplicate.code, 1);
  assert.match(duplicate.stderr, /already an account with this email address/);
  const invitation = await run(["invite"]);
  assert.match(
    invitation.stdout,
    /^For {6}any address: whoever holds the link can use it\nLink {5}\S+\nExpires {2}/,
  );
  const events = await readRecordedEvents(app.app.context);
  const kinds = events.flatMap(({ action, actor }) =>
    action === "sign_up_invitation_made" ? [actor.kind] : [],
  );
  assert.deepEqual(kinds, ["operator", "operator"]);
});

test("closed sign-up, wrong usage and a missing database are reported", async (t) => {
  const { app, run, createAdministrator } = await setUp(t);
  await createAdministrator();
  const refusal = await run(["invite"], { TOCSIN_SIGN_UP: "closed" });
  assert.equal(refusal.code, 1);
  assert.match(refusal.stderr, /Sign-up is closed/);
  assert.equal((await run(["reset"])).code, 2);
  assert.equal((await run(["invite", "--email", "nobody"])).code, 2);
  assert.equal((await run(["list", "ann"])).code, 2);
  const actions = (await readRecordedEvents(app.app.context)).map(({ action }) => action);
  assert.ok(!actions.includes("sign_up_invitation_made"));
  const emptyInstallation = {
    TOCSIN_DATA_DIR: await createTemporaryFolder(t),
    TOCSIN_DATABASE_URL: "",
  };
  for (const args of [["list"], ["reset", "--email", "a@example.org"], ["invite"]]) {
    const { code, stderr } = await run(args, emptyInstallation);
    assert.equal(code, 1);
    assert.match(stderr, /There is no database/);
  }
});
