import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createAttemptLimit } from "../attempt-limit.ts";
import { createFailedSignInLog } from "../failed-sign-in-log.ts";
import { createRoomContext, insertAccount } from "../../../test/support/context.ts";
import { createPairingCodes } from "./codes.ts";
import { createAppPairing } from "./pair-app.ts";
import { createPairing, WRONG_CODE_RATE } from "./pair.ts";

const CALLER = { ip: "192.0.2.7", headers: { "user-agent": "okhttp/4.12.0" } };

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  const accountId = await insertAccount(context, { email: "ann@example.org" });
  await insertAccount(context, { email: "bob@example.org" });
  const codes = createPairingCodes("a secret");
  const pairing = createAppPairing({
    context,
    codes,
    failedSignIns: createFailedSignInLog(context),
    wrongCodeLimit: createAttemptLimit(context, WRONG_CODE_RATE),
  });
  const sessionId = context.newId();
  const { db } = context.database;
  const at = new Date(context.now()).toISOString();
  await db
    .insertInto("session")
    .values({
      id: sessionId,
      account_id: accountId,
      token: "sha256:none",
      expires_at: at,
      ip_address: null,
      user_agent: null,
      created_at: at,
      updated_at: at,
    })
    .execute();
  const actor = { kind: "session", accountId, credentialId: sessionId } as const;
  const createCode = () =>
    createPairing(
      { context, codes },
      { accountId, sessionId, actor: { ...actor, address: null, userAgent: null } },
    );
  const toProof = (code: string, email = "ann@example.org") => ({ email, code, caller: CALLER });
  return { context, pairing, accountId, createCode, toProof };
}

test("a code can be checked often and used once", async (t) => {
  const { pairing, accountId, createCode, toProof } = await setUp(t);
  const { code } = await createCode();
  assert.equal((await pairing.check(toProof(code, " Ann@Example.ORG "))).accountId, accountId);
  const { actor } = await pairing.use(toProof(code.toLowerCase()));
  assert.deepEqual(
    [actor.kind, actor.accountId, actor.address],
    ["device", accountId, "192.0.2.7"],
  );
  for (const act of [pairing.check, pairing.use]) {
    await assert.rejects(act(toProof(code)), { code: "expired" });
  }
});

test("a code with the address of another account, or for a suspended one, is refused and stays valid", async (t) => {
  const { pairing, accountId, createCode, toProof, context } = await setUp(t);
  const { code } = await createCode();
  await assert.rejects(pairing.use(toProof(code, "bob@example.org")), { code: "expired" });
  const suspend = (at: number | null) =>
    context.database.db
      .updateTable("account")
      .set({ suspended_at: at })
      .where("id", "=", accountId)
      .execute();
  await suspend(1);
  await assert.rejects(pairing.use(toProof(code)), { code: "expired" });
  await suspend(null);
  assert.equal((await pairing.use(toProof(code))).accountId, accountId);
});

test("a code expires after ten minutes", async (t) => {
  const { pairing, createCode, toProof, context } = await setUp(t);
  const { code } = await createCode();
  context.clock.advance(10 * 60_000);
  await assert.rejects(pairing.check(toProof(code)), { code: "expired" });
});

test("of several concurrent uses of a code, one succeeds", async (t) => {
  const { pairing, createCode, toProof } = await setUp(t);
  const { code } = await createCode();
  const uses = await Promise.allSettled([1, 2, 3].map(() => pairing.use(toProof(code))));
  assert.equal(uses.filter(({ status }) => status === "fulfilled").length, 1);
});

test("wrong codes are counted for the network, whether they are checked or used", async (t) => {
  const { pairing, createCode, toProof } = await setUp(t);
  const { code } = await createCode();
  for (let count = 0; count < 5; count += 1) {
    const act = count % 2 === 0 ? pairing.check : pairing.use;
    await assert.rejects(act(toProof("ABCDE23456")), { code: "expired" });
  }
  await assert.rejects(pairing.check(toProof(code)), { code: "rate_limited" });
});
