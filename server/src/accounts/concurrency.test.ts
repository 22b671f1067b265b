import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import type { Context } from "#context.ts";
import {
  insertAccount as insertTestAccount,
  createRoomContext,
} from "../../test/support/context.ts";
import { insertChallenge } from "./store/challenges.ts";
import { insertPairing } from "./pairings/store.ts";
import { insertPasskey } from "./passkeys/store.ts";
import { changeEmail } from "./profile/store.ts";
import { insertAccount, replaceSetUpToken, type NewAccount } from "./store/accounts.ts";
import { spendSharedToken } from "./passwords/store/passwords.ts";
import { changeAccount } from "./other-accounts/store.ts";
import { replaceBackupCodes, replaceUnconfirmedTwoFactor } from "./two-factor/store.ts";

/** Races depend on timing, so each test runs several rounds. */
const ROUNDS = 10;

const CONCURRENCY = 5;
/** The part of a change that leaves the suspension of an account as it is. */
const SAME_SUSPENSION = { isSuspended: undefined };

/** Runs an action several times concurrently, in several rounds. */
async function runConcurrently(
  action: (round: number, index: number) => Promise<unknown>,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: CONCURRENCY }, (_, index) => action(round, index)));
  }
}

function createNotice(to: string) {
  return { purpose: "account_notice", to, subject: "", text: "", link: "" } as const;
}

async function setUp(t: TestContext) {
  const context = await createRoomContext(t);
  // Opens one connection for each concurrent action of the first round.
  await runConcurrently(() => context.database.db.selectFrom("account").select("id").execute());
  return { context, db: context.database.db };
}

test("one of two administrators who lose the role concurrently keeps it", async (t) => {
  const { context } = await setUp(t);
  const ids = [
    await insertTestAccount(context, { email: "ann@example.org", isAdmin: true }),
    await insertTestAccount(context, { email: "bob@example.org", isAdmin: true }),
  ];
  for (let round = 0; round < ROUNDS; round += 1) {
    const changeResults = await Promise.all(
      ids.map((id) =>
        changeAccount(context, { actor: OPERATOR, id, isAdmin: false, ...SAME_SUSPENSION }),
      ),
    );
    assert.deepEqual(new Set(changeResults), new Set([false, true]));
    for (const id of ids)
      await changeAccount(context, { actor: OPERATOR, id, isAdmin: true, ...SAME_SUSPENSION });
  }
});

test("an address that two accounts, or an account and a sign-up, claim concurrently goes to one of them", async (t) => {
  const { context } = await setUp(t);
  const ids = [
    await insertTestAccount(context, { email: "ann@example.org" }),
    await insertTestAccount(context, { email: "bob@example.org" }),
  ];
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = `both${round}@example.org`;
    const tokens = await createLinks(context, { email, ids });
    const results = tokens.map((token) =>
      changeEmail(context, { actor: OPERATOR, token, createNotice }),
    );
    assert.deepEqual(new Set(await Promise.all(results)), new Set(["taken", "changed"]));
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = `new${round}@example.org`;
    const [token = ""] = await createLinks(context, { email, ids });
    const [change, refusal] = await Promise.all([
      changeEmail(context, { actor: OPERATOR, token, createNotice }),
      insertAccount(context, createNewAccount(context.newId(), email)),
    ]);
    assert.equal(change, refusal === "email_taken" ? "changed" : "taken");
  }
});

test("only one of many concurrent first passwords is set", async (t) => {
  const { context, db } = await setUp(t);
  const accountIds = await Promise.all(
    Array.from({ length: ROUNDS }, (_, round) =>
      insertTestAccount(context, { email: `person${round}@example.org` }),
    ),
  );
  let resetCount = 0;
  for (const accountId of accountIds) {
    const indexes = Array.from({ length: CONCURRENCY }, (_, index) => index);
    const link = { kind: "password_reset", accountId, content: "", ttlMs: 1_000 } as const;
    const tokens = await Promise.all(indexes.map(() => insertChallenge(context, link)));
    const attempts = indexes.map((index) => {
      return spendSharedToken(context, {
        actor: OPERATOR,
        token: tokens[index] ?? "",
        passwordHash: `hash ${index}`,
        createNotice,
      });
    });
    resetCount += (await Promise.all(attempts)).filter((result) => result !== null).length;
  }
  // Only one of the account's reset links works.
  assert.equal(resetCount, ROUNDS);
  const rows = await db.selectFrom("credential").select("account_id").execute();
  assert.deepEqual(rows.map((row) => row.account_id).toSorted(), accountIds.toSorted());
});

test("processes that start concurrently leave one set-up link", async (t) => {
  const { context, db } = await setUp(t);
  await runConcurrently(async (round, index) => {
    assert.equal(await replaceSetUpToken(context, `token ${round} ${index}`), true);
  });
  const tokens = await db.selectFrom("setup_token").select("token_hash").execute();
  assert.equal(tokens.length, 1);
});

test("concurrently renewed backup codes come from one request", async (t) => {
  const { context, db } = await setUp(t);
  const accountId = await insertTestAccount(context);
  const createCodeHashes = (name: string) =>
    Array.from({ length: 10 }, (_, index) => `${name} ${index}`);
  await replaceUnconfirmedTwoFactor(context, {
    accountId,
    secret: "",
    codeHashes: createCodeHashes("first"),
  });
  await runConcurrently(async (round, index) => {
    await replaceBackupCodes(context, {
      actor: OPERATOR,
      accountId,
      codeHashes: createCodeHashes(`${round} ${index}`),
    });
  });
  const remainingCodes = await db.selectFrom("backup_code").select("code_hash").execute();
  assert.equal(remainingCodes.length, 10);
  const requests = remainingCodes.map((row) => row.code_hash.replace(/ \d+$/, ""));
  assert.equal(new Set(requests).size, 1);
});

test("pairings created concurrently stay within the limit", async (t) => {
  const { context, db } = await setUp(t);
  const accountId = await insertTestAccount(context);
  const sessionId = context.newId();
  const timestamp = new Date(context.now()).toISOString();
  const times = { created_at: timestamp, updated_at: timestamp, expires_at: timestamp };
  await db
    .insertInto("session")
    .values({ id: sessionId, account_id: accountId, token: "token", ...times })
    .execute();
  const createPairing = () => {
    const id = context.newId();
    const hashes = { tokenHash: `token ${id}`, codeHash: `code ${id}` };
    const pairing = { id, accountId, sessionId, ...hashes, expiresAt: context.now() + 1 };
    return insertPairing(context, { actor: OPERATOR, ...pairing, limit: 1 });
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: CONCURRENCY }, createPairing));
    assert.equal((await db.selectFrom("pairing").select("id").execute()).length, 1);
  }
});

test("passkeys created concurrently stay within the limit", async (t) => {
  const { context, db } = await setUp(t);
  const accountId = await insertTestAccount(context);
  await runConcurrently((round, index) =>
    insertPasskey(context, {
      actor: OPERATOR,
      accountId,
      credentialId: `${round} ${index}`,
      publicKey: "",
      signCount: 0,
      name: "",
      max: 3,
      notice: createNotice("ann@example.org"),
    }),
  );
  assert.equal((await db.selectFrom("passkey").select("id").execute()).length, 3);
});

/** Returns the tokens of links that change the address of each account to `email`. */
function createLinks(
  context: Context,
  { email, ids }: { readonly email: string; readonly ids: readonly string[] },
): Promise<readonly string[]> {
  const link = { kind: "email_change", content: email, ttlMs: 1_000 } as const;
  return Promise.all(ids.map((accountId) => insertChallenge(context, { ...link, accountId })));
}

function createNewAccount(id: string, email: string): NewAccount {
  return {
    actor: OPERATOR,
    id,
    email,
    name: "New",
    isAdmin: false,
    addressProof: "operator",
    passwordHash: null,
    setUpTokenHash: null,
    invitationHash: null,
    mail: null,
  };
}
