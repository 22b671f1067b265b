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
  const create = () =>
    createPairing(
      { context, codes },
      { accountId, sessionId, actor: { ...actor, address: null, userAgent: null } },
    );
  const proof = (code: string, email = "ann@example.org") => ({ email, code, caller: CALLER });
  return { context, pairing, accountId, create, proof };
}

test("a code can be checked often and used once", async (t) => {
  const { pairing, accountId, create, proof } = await setUp(t);
  const { code } = await create();
  assert.equal((await pairing.check(proof(code, " Ann@Example.ORG "))).accountId, accountId);
  const { actor } = await pairing.use(proof(code.toLowerCase()));
  assert.deepEqual(
    [actor.kind, actor.accountId, actor.address],
    ["device", accountId, "192.0.2.7"],
  );
  for (const act of [pairing.check, pairing.use]) {
    await assert.rejects(act(proof(code)), { code: "expired" });
  }
});

test("a code with the address of another account, or of a suspended one, signs nobody in and stays", async (t) => {
  const { pairing, accountId, create, proof, context } = await setUp(t);
  const { code } = await create();
  await assert.rejects(pairing.use(proof(code, "bob@example.org")), { code: "expired" });
  const suspend = (at: number | null) =>
    context.database.db
      .updateTable("account")
      .set({ suspended_at: at })
      .where("id", "=", accountId)
      .execute();
  await suspend(1);
  await assert.rejects(pairing.use(proof(code)), { code: "expired" });
  await suspend(null);
  assert.equal((await pairing.use(proof(code))).accountId, accountId);
});

test("a code ends after ten minutes", async (t) => {
  const { pairing, create, proof, context } = await setUp(t);
  const { code } = await create();
  context.clock.advance(600_000);
  await assert.rejects(pairing.check(proof(code)), { code: "expired" });
});

test("of several uses at the same time, one succeeds", async (t) => {
  const { pairing, create, proof } = await setUp(t);
  const { code } = await create();
  const uses = await Promise.allSettled([1, 2, 3].map(() => pairing.use(proof(code))));
  assert.equal(uses.filter(({ status }) => status === "fulfilled").length, 1);
});

test("wrong codes are counted for the network, whether they are checked or used", async (t) => {
  const { pairing, proof, create } = await setUp(t);
  const { code } = await create();
  for (let count = 0; count < 5; count += 1) {
    const act = count % 2 === 0 ? pairing.check : pairing.use;
    await assert.rejects(act(proof("ABCDE23456")), { code: "expired" });
  }
  await assert.rejects(pairing.check(proof(code)), { code: "rate_limited" });
});
