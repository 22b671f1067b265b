import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { actorBy } from "#audit/actor.ts";
import { OPERATOR, type Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { createGroup } from "#devices/groups/save.ts";
import { registerDevice, type RegisterInput } from "#devices/register.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { addDevice, signUp, startApp } from "../../test/support/app.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkDevices } from "./devices.ts";

const NEVER = new AbortController().signal;

/** A server with a victim and an attacker, each with a device of their own. */
async function stage(t: TestContext) {
  const app = await startApp(t);
  const { context } = app.app;
  const [ann, eve] = [await signUp(app, "Ann"), await signUp(app, "Eve")];
  for (const person of [ann, eve]) await addDevice(app, person);
  const evesToken = (await eve.client.accessTokens.list()).items[0]?.id ?? "";
  const eves = actorBy(
    { ip: "203.0.113.9", headers: {} },
    {
      kind: "access_token",
      accountId: eve.accountId,
      credentialId: evesToken,
    },
  );
  let count = 0;
  /** Registers as the route of the previous version did: fields of the body override those of the caller. */
  const registerAsBefore = async (body: Partial<RegisterInput>): Promise<string> => {
    count += 1;
    const address = { provider: "fcm", token: `token-${count}` } as const;
    const asked = { name: "Phone", platform: "android", push: address } as const;
    const deps = { context, checkWebPushAddress: () => ({ ok: true }) as const, notices: null };
    const { device } = await registerDevice(deps, {
      accountId: eve.accountId,
      by: eves,
      ...asked,
      ...body,
    });
    return device.id;
  };
  const look = () => checkDevices(app.database, NEVER);
  return { app, context, ann, eve, eves, registerAsBefore, look };
}

async function addedAt({ database: { db } }: Context, deviceId: string): Promise<number> {
  const row = await db
    .selectFrom("device")
    .select("created_at")
    .where("id", "=", deviceId)
    .executeTakeFirst();
  return row?.created_at ?? 0;
}

function found(verdict: Awaited<ReturnType<typeof checkDevices>>) {
  // Created by this check.
  const facts = verdict.facts as {
    readonly devices: readonly { deviceId: string; accountId: string; sign: string }[];
    readonly groups: readonly unknown[];
    readonly unclear: readonly { deviceId: string }[];
  };
  return { ...facts, devices: facts.devices.map(({ deviceId, sign }) => [deviceId, sign]) };
}

test("devices that people added themselves are theirs, whatever credential they used, and after it ended", async (t) => {
  const { app, ann, look } = await stage(t);
  const browser = createClient({ baseUrl: app.url });
  await browser.signIn({ email: ann.email, password: "password of Ann" });
  await addDevice(app, { client: browser }, "Browser");
  await browser.signOut();
  const { id, token } = await ann.client.accessTokens.create({ label: "app" });
  await addDevice(app, { client: createClient({ baseUrl: app.url, accessToken: token }) }, "App");
  await ann.client.accessTokens.remove(id);
  const verdict = await look();
  assert.equal(verdict.status, "ok");
  assert.equal(verdict.message, "No device was added by someone else's request.");
  assert.deepEqual(found(verdict).unclear, []);
});

test("a device that a request added to another account is found, and its group, until it is removed", async (t) => {
  const { context, ann, eve, registerAsBefore, look } = await stage(t);
  const accountId = ann.accountId;
  const deviceId = await registerAsBefore({ accountId });
  const group = await createGroup(context, { accountId, name: "g", deviceIds: [deviceId] });
  const verdict = await look();
  assert.equal(verdict.status, "fail");
  assert.equal(
    verdict.message,
    `1 device was added by a request of somebody else, to the account ${accountId}. Device groups with one of them: 1.`,
  );
  assert.match(verdict.mend ?? "", /tocsin device remove ID/);
  for (const trace of [ann.email, "Phone", "token-1"]) {
    assert.ok(!JSON.stringify(verdict).includes(trace), trace);
  }
  assert.deepEqual(verdict.facts, {
    devices: [
      {
        deviceId,
        accountId,
        addedAt: new Date(await addedAt(context, deviceId)).toISOString(),
        sign: "another_account",
        recordedAccountId: eve.accountId,
      },
    ],
    groups: [{ groupId: group.id, accountId }],
    unclear: [],
    isUnfinished: false,
  });
  await removeDevice(context, { accountId, deviceId, actor: OPERATOR });
  assert.equal((await look()).status, "ok");
});

test("a request that also forged its author is found by a credential that the account never had", async (t) => {
  const { context, ann, eves, registerAsBefore, look } = await stage(t);
  const { accountId } = ann;
  const nowhere = { address: null, userAgent: null };
  const forged: readonly Actor[] = [
    { ...eves, accountId },
    { kind: "session", accountId, credentialId: context.newId(), ...nowhere },
    { kind: "session", accountId, credentialId: "0", ...nowhere },
    { kind: "session", accountId, credentialId: null, ...nowhere },
    { kind: "access_token", accountId, credentialId: context.newId(), ...nowhere },
    { kind: "operator", accountId: null, credentialId: null, ...nowhere },
    { kind: "server", accountId, credentialId: null, ...nowhere },
    { kind: "api_key", accountId, credentialId: ann.key, ...nowhere },
  ];
  const ids: string[] = [];
  for (const by of forged) ids.push(await registerAsBefore({ accountId, by }));
  const verdict = await look();
  assert.equal(verdict.status, "fail");
  assert.deepEqual(
    found(verdict).devices,
    ids.map((id) => [id, "unknown_credential"]),
  );
});

test("a device older than the audit log is counted separately, and not called foreign", async (t) => {
  const { app, context, ann, registerAsBefore, look } = await stage(t);
  const { db } = context.database;
  const { device } = await addDevice(app, ann, "Of old");
  await db.deleteFrom("audit_event").where("subject_id", "=", device.id).execute();
  // A session from before the oldest retained event.
  const credentialId = "01000000-0000-7000-8000-000000000000";
  const by = { kind: "session", accountId: ann.accountId, credentialId } as const;
  const nowhere = { address: null, userAgent: null };
  const old = await registerAsBefore({ accountId: ann.accountId, by: { ...by, ...nowhere } });
  const verdict = await look();
  assert.equal(verdict.status, "ok");
  assert.match(verdict.message, /does not reach back to who added 2 devices\.$/);
  assert.deepEqual(
    found(verdict).unclear.map(({ deviceId }) => deviceId),
    [device.id, old],
  );
});

test("all devices are checked, in several batches", async (t) => {
  const { context, ann, eve, registerAsBefore, look } = await stage(t);
  const template = await context.database.db
    .selectFrom("device")
    .selectAll()
    .where("account_id", "=", eve.accountId)
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: 2_500 }, (_, index) => ({
    ...template,
    id: context.newId(),
    address_hash: `hash ${index}`,
  }));
  for (let start = 0; start < rows.length; start += 500) {
    await context.database.db
      .insertInto("device")
      .values(rows.slice(start, start + 500))
      .execute();
  }
  const last = await registerAsBefore({ accountId: ann.accountId });
  const verdict = await look();
  assert.deepEqual(found(verdict).devices, [[last, "another_account"]]);
  assert.equal(found(verdict).unclear.length, 2_500);
});

test("an aborted check claims nothing, and one that cannot run says so", async (t) => {
  const { app } = await stage(t);
  const ended = await checkDevices(app.database, AbortSignal.abort());
  assert.equal(ended.status, "warn");
  assert.match(ended.message, /did not finish/);
  const folder = await temporaryFolder(t);
  const path = `${folder}/tocsin.db`;
  assert.equal((await checkDevices({ kind: "sqlite", path }, NEVER)).status, "ok");
  const url = "postgres://nobody@127.0.0.1:1/none";
  const away = await checkDevices({ kind: "postgres", url }, NEVER);
  assert.deepEqual(
    [away.status, away.message],
    ["warn", "It could not be checked who added the devices."],
  );
});
