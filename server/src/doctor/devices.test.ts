import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createClient } from "@tocsin/sdk";
import { createActor } from "#audit/actor.ts";
import { OPERATOR, type Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { createGroup } from "#devices/groups/create.ts";
import { registerDevice, type RegisterDeviceInput } from "#devices/register.ts";
import { removeDevice } from "#devices/store/retirement.ts";
import { addDevice, signUp, startApp } from "../../test/support/app.ts";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { checkDevices } from "./devices.ts";

const NEVER_ABORTED = new AbortController().signal;

/** Starts a server with a victim and an attacker, who have one device each. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const { context } = app.app;
  const ann = await signUp(app, "Ann");
  const eve = await signUp(app, "Eve");
  for (const person of [ann, eve]) await addDevice(app, person);
  const eveTokenId = (await eve.client.accessTokens.list()).items[0]?.id ?? "";
  const eveActor = createActor(
    { ip: "203.0.113.9", headers: {} },
    {
      kind: "access_token",
      accountId: eve.accountId,
      credentialId: eveTokenId,
    },
  );
  let count = 0;
  /** Registers a device like the route of an earlier version: fields of the body override those of the caller. */
  const registerWithOldRoute = async (body: Partial<RegisterDeviceInput>): Promise<string> => {
    count += 1;
    const address = { provider: "fcm", token: `token-${count}` } as const;
    const fields = { name: "Phone", platform: "android", push: address } as const;
    const deps = { context, checkWebPushAddress: () => ({ ok: true }) as const, notices: null };
    const { device } = await registerDevice(deps, {
      accountId: eve.accountId,
      actor: eveActor,
      ...fields,
      ...body,
    });
    return device.id;
  };
  const check = () => checkDevices(app.database, NEVER_ABORTED);
  return { app, context, ann, eve, eveActor, registerWithOldRoute, check };
}

async function findCreationTime({ database: { db } }: Context, deviceId: string): Promise<number> {
  const row = await db
    .selectFrom("device")
    .select("created_at")
    .where("id", "=", deviceId)
    .executeTakeFirst();
  return row?.created_at ?? 0;
}

function getFacts(verdict: Awaited<ReturnType<typeof checkDevices>>) {
  // `checkDevices` creates facts of this type.
  const facts = verdict.facts as {
    readonly devices: readonly { deviceId: string; accountId: string; sign: string }[];
    readonly groups: readonly unknown[];
    readonly unclear: readonly { deviceId: string }[];
  };
  return { ...facts, devices: facts.devices.map(({ deviceId, sign }) => [deviceId, sign]) };
}

test("a device that its owner added is not reported, even after the credential was revoked", async (t) => {
  const { app, ann, check } = await setUp(t);
  const browser = createClient({ baseUrl: app.url });
  await browser.signIn({ email: ann.email, password: "password of Ann" });
  await addDevice(app, { client: browser }, "Browser");
  await browser.signOut();
  const { id, token } = await ann.client.accessTokens.create({ label: "app" });
  await addDevice(app, { client: createClient({ baseUrl: app.url, accessToken: token }) }, "App");
  await ann.client.accessTokens.remove(id);
  const verdict = await check();
  assert.equal(verdict.status, "ok");
  assert.equal(verdict.message, "No device was added by someone else's request.");
  assert.deepEqual(getFacts(verdict).unclear, []);
});

test("a device added to another account is reported with its groups, until it is removed", async (t) => {
  const { context, ann, eve, registerWithOldRoute, check } = await setUp(t);
  const accountId = ann.accountId;
  const deviceId = await registerWithOldRoute({ accountId });
  const group = await createGroup(context, { accountId, name: "g", deviceIds: [deviceId] });
  const verdict = await check();
  assert.equal(verdict.status, "fail");
  assert.equal(
    verdict.message,
    `1 device was added by a request of somebody else, to the account ${accountId}. Device groups with one of them: 1.`,
  );
  assert.match(verdict.mend ?? "", /tocsin device remove ID/);
  for (const personalData of [ann.email, "Phone", "token-1"]) {
    assert.ok(!JSON.stringify(verdict).includes(personalData), personalData);
  }
  assert.deepEqual(verdict.facts, {
    devices: [
      {
        deviceId,
        accountId,
        addedAt: new Date(await findCreationTime(context, deviceId)).toISOString(),
        sign: "another_account",
        recordedAccountId: eve.accountId,
      },
    ],
    groups: [{ groupId: group.id, accountId }],
    unclear: [],
    isUnfinished: false,
  });
  await removeDevice(context, { accountId, deviceId, actor: OPERATOR });
  assert.equal((await check()).status, "ok");
});

test("a forged author is detected by a credential that the account never had", async (t) => {
  const { context, ann, eveActor, registerWithOldRoute, check } = await setUp(t);
  const { accountId } = ann;
  const unknownOrigin = { address: null, userAgent: null };
  const forgedActors: readonly Actor[] = [
    { ...eveActor, accountId },
    { kind: "session", accountId, credentialId: context.newId(), ...unknownOrigin },
    { kind: "session", accountId, credentialId: "0", ...unknownOrigin },
    { kind: "session", accountId, credentialId: null, ...unknownOrigin },
    { kind: "access_token", accountId, credentialId: context.newId(), ...unknownOrigin },
    { kind: "operator", accountId: null, credentialId: null, ...unknownOrigin },
    { kind: "server", accountId, credentialId: null, ...unknownOrigin },
    { kind: "api_key", accountId, credentialId: ann.key, ...unknownOrigin },
  ];
  const ids: string[] = [];
  for (const actor of forgedActors) ids.push(await registerWithOldRoute({ accountId, actor }));
  const verdict = await check();
  assert.equal(verdict.status, "fail");
  assert.deepEqual(
    getFacts(verdict).devices,
    ids.map((id) => [id, "unknown_credential"]),
  );
});

test("a device is unclear if it, or the session that added it, is older than the audit log", async (t) => {
  const { app, context, ann, registerWithOldRoute, check } = await setUp(t);
  const { db } = context.database;
  const { device } = await addDevice(app, ann, "Old phone");
  await db.deleteFrom("audit_event").where("subject_id", "=", device.id).execute();
  // A session from before the oldest retained event.
  const credentialId = "01000000-0000-7000-8000-000000000000";
  const actor = { kind: "session", accountId: ann.accountId, credentialId } as const;
  const unknownOrigin = { address: null, userAgent: null };
  const oldDeviceId = await registerWithOldRoute({
    accountId: ann.accountId,
    actor: { ...actor, ...unknownOrigin },
  });
  const verdict = await check();
  assert.equal(verdict.status, "ok");
  assert.match(verdict.message, /does not reach back to who added 2 devices\.$/);
  assert.deepEqual(
    getFacts(verdict).unclear.map(({ deviceId }) => deviceId),
    [device.id, oldDeviceId],
  );
});

test("devices beyond the first batch are checked", async (t) => {
  const { context, ann, eve, registerWithOldRoute, check } = await setUp(t);
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
  const lastDeviceId = await registerWithOldRoute({ accountId: ann.accountId });
  const verdict = await check();
  assert.deepEqual(getFacts(verdict).devices, [[lastDeviceId, "another_account"]]);
  assert.equal(getFacts(verdict).unclear.length, 2_500);
});

test("an aborted check and an unreachable database are warnings, and a missing one is ok", async (t) => {
  const { app } = await setUp(t);
  const abortedVerdict = await checkDevices(app.database, AbortSignal.abort());
  assert.equal(abortedVerdict.status, "warn");
  assert.match(abortedVerdict.message, /did not finish/);
  const folder = await createTemporaryFolder(t);
  const path = `${folder}/tocsin.db`;
  assert.equal((await checkDevices({ kind: "sqlite", path }, NEVER_ABORTED)).status, "ok");
  const url = "postgres://nobody@127.0.0.1:1/none";
  const unreachableVerdict = await checkDevices({ kind: "postgres", url }, NEVER_ABORTED);
  assert.deepEqual(
    [unreachableVerdict.status, unreachableVerdict.message],
    ["warn", "It could not be checked who added the devices."],
  );
});
