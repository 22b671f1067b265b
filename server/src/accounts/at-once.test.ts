import assert from "node:assert/strict";
import { OPERATOR } from "#audit/event.ts";
import { test, type TestContext } from "node:test";
import type { Context } from "#context.ts";
import { insertAccount as insertPerson, testContext } from "../../test/support/room.ts";
import { insertChallenge } from "./store/challenges.ts";
import { insertPairing } from "./pairings/store.ts";
import { insertPasskey } from "./passkeys/store.ts";
import { changeEmail } from "./profile/store.ts";
import { insertAccount, replaceSetUpToken, type NewAccount } from "./store/accounts.ts";
import { spendHandedToken } from "./passwords/store/passwords.ts";
import { changeAccount } from "./supervision/store.ts";
import { replaceBackupCodes, replaceUnconfirmed } from "./two-factor/store.ts";

/** Races are a matter of chance, so each is tried this often. */
const ROUNDS = 10;

const SIDES = 5;
const SAME = { isSuspended: undefined };

/** Runs an act a few times concurrently, in a few rounds. */
async function atOnce(act: (round: number, side: number) => Promise<unknown>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: SIDES }, (_, side) => act(round, side)));
  }
}

function noticeTo(to: string) {
  return { purpose: "account_notice", to, subject: "", text: "", link: "" } as const;
}

async function room(t: TestContext) {
  const context = await testContext(t);
  // Opens a connection for every side of the first round.
  await atOnce(() => context.database.db.selectFrom("account").select("id").execute());
  return { context, db: context.database.db };
}

test("of two administrators who leave concurrently, one stays", async (t) => {
  const { context } = await room(t);
  const ids = [
    await insertPerson(context, { email: "ann@example.org", isAdmin: true }),
    await insertPerson(context, { email: "bob@example.org", isAdmin: true }),
  ];
  for (let round = 0; round < ROUNDS; round += 1) {
    const changed = await Promise.all(
      ids.map((id) => changeAccount(context, { by: OPERATOR, id, isAdmin: false, ...SAME })),
    );
    assert.deepEqual(new Set(changed), new Set([false, true]));
    for (const id of ids)
      await changeAccount(context, { by: OPERATOR, id, isAdmin: true, ...SAME });
  }
});

test("of two accounts that claim one address concurrently, one gets it", async (t) => {
  const { context } = await room(t);
  const ids = [
    await insertPerson(context, { email: "ann@example.org" }),
    await insertPerson(context, { email: "bob@example.org" }),
  ];
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = `both${round}@example.org`;
    const changes = await linksTo(context, { email, ids });
    const taken = changes.map((token) => changeEmail(context, { by: OPERATOR, token, noticeTo }));
    assert.deepEqual(new Set(await Promise.all(taken)), new Set(["taken", "changed"]));
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = `new${round}@example.org`;
    const [token = ""] = await linksTo(context, { email, ids });
    const [change, made] = await Promise.all([
      changeEmail(context, { by: OPERATOR, token, noticeTo }),
      insertAccount(context, accountOf(context.newId(), email)),
    ]);
    assert.equal(change, made === "email_taken" ? "changed" : "taken");
  }
});

test("concurrent attempts to set a first password succeed once", async (t) => {
  const { context, db } = await room(t);
  const accounts = await Promise.all(
    Array.from({ length: ROUNDS }, (_, round) =>
      insertPerson(context, { email: `person${round}@example.org` }),
    ),
  );
  let reset = 0;
  for (const accountId of accounts) {
    const sides = Array.from({ length: SIDES }, (_, side) => side);
    const link = { kind: "password_reset", accountId, content: "", lifeMs: 1_000 } as const;
    const tokens = await Promise.all(sides.map(() => insertChallenge(context, link)));
    const tries = sides.map((side) => {
      const [token = "", passwordHash] = [tokens[side], `hash ${side}`];
      return spendHandedToken(context, { by: OPERATOR, token, passwordHash, noticeTo });
    });
    reset += (await Promise.all(tries)).filter((done) => done !== null).length;
  }
  // Of all the reset links of an account, one counts.
  assert.equal(reset, ROUNDS);
  const rows = await db.selectFrom("credential").select("account_id").execute();
  assert.deepEqual(rows.map((row) => row.account_id).toSorted(), accounts.toSorted());
});

test("processes that start concurrently leave one set-up link", async (t) => {
  const { context, db } = await room(t);
  await atOnce(async (round, side) => {
    assert.equal(await replaceSetUpToken(context, `token ${round} ${side}`), true);
  });
  const tokens = await db.selectFrom("setup_token").select("token_hash").execute();
  assert.equal(tokens.length, 1);
});

test("backup codes created concurrently are those of one request", async (t) => {
  const { context, db } = await room(t);
  const accountId = await insertPerson(context);
  const codes = (name: string) => Array.from({ length: 10 }, (_, index) => `${name} ${index}`);
  await replaceUnconfirmed(context, { accountId, secret: "", codeHashes: codes("first") });
  await atOnce(async (round, side) => {
    await replaceBackupCodes(context, {
      by: OPERATOR,
      accountId,
      codeHashes: codes(`${round} ${side}`),
    });
  });
  const left = await db.selectFrom("backup_code").select("code_hash").execute();
  assert.equal(left.length, 10);
});

test("pairings created concurrently stay within the limit", async (t) => {
  const { context, db } = await room(t);
  const accountId = await insertPerson(context);
  const sessionId = context.newId();
  const moment = new Date(context.now()).toISOString();
  const times = { created_at: moment, updated_at: moment, expires_at: moment };
  await db
    .insertInto("session")
    .values({ id: sessionId, account_id: accountId, token: "token", ...times })
    .execute();
  const pair = () => {
    const id = context.newId();
    const hashes = { tokenHash: `token ${id}`, codeHash: `code ${id}` };
    const pairing = { id, accountId, sessionId, ...hashes, expiresAt: context.now() + 1 };
    return insertPairing(context, { by: OPERATOR, ...pairing, most: 1 });
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(Array.from({ length: SIDES }, pair));
    assert.equal((await db.selectFrom("pairing").select("id").execute()).length, 1);
  }
});

test("passkeys created concurrently stay within the limit", async (t) => {
  const { context, db } = await room(t);
  const accountId = await insertPerson(context);
  await atOnce((round, side) =>
    insertPasskey(context, {
      by: OPERATOR,
      accountId,
      credentialId: `${round} ${side}`,
      publicKey: "",
      signCount: 0,
      name: "",
      most: 3,
      notice: noticeTo("ann@example.org"),
    }),
  );
  assert.equal((await db.selectFrom("passkey").select("id").execute()).length, 3);
});

/** Returns the tokens of links that would give each of the accounts the same address. */
function linksTo(
  context: Context,
  { email, ids }: { readonly email: string; readonly ids: readonly string[] },
): Promise<readonly string[]> {
  const link = { kind: "email_change", content: email, lifeMs: 1_000 } as const;
  return Promise.all(ids.map((accountId) => insertChallenge(context, { ...link, accountId })));
}

function accountOf(id: string, email: string): NewAccount {
  return {
    by: OPERATOR,
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
