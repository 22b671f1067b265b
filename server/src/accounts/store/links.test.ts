import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Client } from "@tocsin/sdk";
import { startAccounts, type AccountsServer } from "../../../test/support/accounts.ts";
import { linkToken } from "../../../test/support/link-token.ts";
import { testContext, type TestedContext } from "../../../test/support/room.ts";
import { createAccount } from "../create-account.ts";
import { findAccountByEmail } from "./accounts.ts";
import { totpCode } from "../../../test/support/authenticator.ts";

const [PASSWORD, NEW_PASSWORD] = ["correct horse", "staple the battery"];
const OVER = { code: "expired" };

/** A signed-in person, and an administrator. */
interface Stage {
  readonly context: TestedContext;
  readonly server: AccountsServer;
  readonly administrator: Client;
  readonly person: Client;
  readonly email: string;
  readonly id: string;
}

/** Creates a link and returns a function that uses it, which is refused as `expired` once the link is over. */
type Making = (stage: Stage) => Promise<() => Promise<unknown>>;

/** Every kind of link or code that signs somebody in or changes who may sign in. */
const KINDS: Readonly<Record<string, Making>> = {
  "mailed link to a new password": async ({ server, email }) => {
    await server.client().requestPasswordReset({ email });
    return resetting(server, await lastToken(server));
  },
  "handed link to a new password": async ({ server, administrator, id }) => {
    const { link } = await administrator.admin.accounts.resetLink(id);
    return resetting(server, linkToken(link));
  },
  "link to a new address": async ({ server, person, id }) => {
    await person.profile.changeEmail({ email: `${id}@other.example.org`, password: PASSWORD });
    const token = await lastToken(server);
    return () => server.client().verifyEmailChange({ token });
  },
  "link that verifies the address": async ({ server, email }) => {
    const mails = (await server.mails()).filter(({ to }) => to === email);
    const link = mails.find(({ purpose }) => purpose === "verify_email")?.link;
    return () => server.client().verifyEmail({ token: linkToken(link) });
  },
  "link that lets a browser in": async ({ server, person }) => {
    const { url } = await person.pairings.create();
    return () => server.client().pair({ token: linkToken(url) });
  },
  "code that lets a browser in": async ({ server, person }) => {
    const { code } = await person.pairings.create();
    return () => server.client().pair({ code });
  },
  "token of an app that is being installed": async ({ server, person }) => {
    const { code } = await person.pairings.create();
    const token = (await server.client().pair({ code })).installToken ?? "";
    return () => server.client().pair({ token });
  },
  "sign-in that waits for its code": async ({ context, server, person, email }) => {
    const { secret } = await person.twoFactor.begin({ password: PASSWORD });
    await person.twoFactor.confirm({ code: totpCode(secret, context.now()) });
    const browser = server.client();
    const { twoFactorToken: token } = await browser.signIn({ email, password: PASSWORD });
    context.clock.advance(30_000);
    const code = totpCode(secret, context.now());
    return () => browser.signInWithCode({ token: token ?? "", code });
  },
};

/** The events that must end an account's links. */
const EVENTS: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  "the password is changed": ({ person }) =>
    person.changePassword({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
  "the password is reset by mail": async (stage) => {
    await verify(stage);
    await resetByMail(stage);
  },
  "the account is taken back": (stage) => resetByMail(stage),
  "the password is reset by a handed link": async ({ server, administrator, id }) => {
    const { link } = await administrator.admin.accounts.resetLink(id);
    await resetting(server, linkToken(link))();
  },
  "the address is changed": async ({ server, person, id }) => {
    await person.profile.changeEmail({ email: `${id}@new.example.org`, password: PASSWORD });
    await server.client().verifyEmailChange({ token: await lastToken(server) });
  },
  "the account is suspended, and opened again": async ({ administrator, id }) => {
    await administrator.admin.accounts.update(id, { isSuspended: true });
    await administrator.admin.accounts.update(id, { isSuspended: false });
  },
  "the account is deleted, and another one has its address": async (stage) => {
    const { server, person, email } = stage;
    await person.profile.delete({ password: PASSWORD });
    await server.client().signUp({ email, password: PASSWORD, name: "Another" });
  },
};

/** Links that outlive an event: those that only prove an address, and after a change of address those of sessions, which stay. */
const OUTLIVES: Readonly<Record<string, readonly string[]>> = {
  "link that verifies the address": [
    "the password is changed",
    "the password is reset by mail",
    "the account is taken back",
    "the password is reset by a handed link",
    "the account is suspended, and opened again",
  ],
  "link that lets a browser in": ["the address is changed"],
  "code that lets a browser in": ["the address is changed"],
  "token of an app that is being installed": ["the address is changed"],
  "sign-in that waits for its code": ["the address is changed"],
};

for (const [event, happen] of Object.entries(EVENTS)) {
  test(`once ${event}, links sent before are over`, async (t) => {
    const start = await startWithAdministrator(t);
    for (const [kind, make] of Object.entries(KINDS)) {
      const stage = await withPerson(start);
      const use = await make(stage);
      await happen(stage);
      if (OUTLIVES[kind]?.includes(event) === true) await use();
      else await assert.rejects(use(), OVER, kind);
    }
  });
}

test("a link that verifies an address does not verify it for a later account", async (t) => {
  const stage = await withPerson(await startWithAdministrator(t));
  const verifyLater = await KINDS["link that verifies the address"]?.(stage);
  await EVENTS["the account is deleted, and another one has its address"]?.(stage);
  await assert.rejects(verifyLater?.() ?? Promise.resolve(), OVER);
  const later = await findAccountByEmail(stage.context, stage.email);
  assert.equal(later?.isEmailVerified, false);
});

test("a link that verifies an address is valid for three days, at the server that created it", async (t) => {
  const stage = await withPerson(await startWithAdministrator(t));
  const { context, server, email } = stage;
  const link = (await server.mails()).find(({ to }) => to === email)?.link;
  const token = linkToken(link);
  const secret = "another secret of this server, as long as one";
  const other = await startAccounts(t, context, { secret });
  for (const foreign of [token.slice(1), token.slice(0, -2), "", "e30"]) {
    await assert.rejects(server.client().verifyEmail({ token: foreign }), OVER);
  }
  await assert.rejects(other.client().verifyEmail({ token }), OVER);
  context.clock.advance(3 * 24 * 3_600_000 - 1);
  await server.client().verifyEmail({ token });
  context.clock.advance(1);
  await assert.rejects(server.client().verifyEmail({ token }), OVER);
});

/** The events that take the right to hand over links from an administrator. */
const ENDS: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  "administers no more": ({ administrator, id }) =>
    administrator.admin.accounts.update(id, { isAdmin: false }),
  "was suspended": ({ administrator, id }) =>
    administrator.admin.accounts.update(id, { isSuspended: true }),
  "is gone": ({ person }) => person.profile.delete({ password: PASSWORD }),
  "has a new password": ({ person }) =>
    person.changePassword({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
};

for (const [end, happen] of Object.entries(ENDS)) {
  test(`a link that an administrator handed over ends once its maker ${end}`, async (t) => {
    const start = await startWithAdministrator(t);
    const [maker, target] = [await withPerson(start), await withPerson(start)];
    await start.administrator.admin.accounts.update(maker.id, { isAdmin: true });
    const { accounts, invitations } = maker.person.admin;
    const { link: reset } = await accounts.resetLink(target.id);
    const others = (await start.administrator.admin.accounts.resetLink(target.id)).link;
    const { link: invitation } = await invitations.create();
    await happen(maker);
    const { server } = start;
    await assert.rejects(resetting(server, linkToken(reset))(), OVER);
    const invited = { email: "new@example.org", password: PASSWORD, name: "New" };
    const signUp = server.client().signUp({ ...invited, token: linkToken(invitation) });
    // An invitation to sign up does not depend on its maker's password.
    if (end === "has a new password") await signUp;
    else await assert.rejects(signUp, OVER);
    await resetting(server, linkToken(others))();
  });
}

test("of all reset links one works, however many are used concurrently", async (t) => {
  const stage = await withPerson(await startWithAdministrator(t));
  const { server } = stage;
  const uses: (() => Promise<unknown>)[] = [];
  for (let times = 0; times < 3; times += 1) {
    for (const kind of ["mailed", "handed"]) {
      uses.push((await KINDS[`${kind} link to a new password`]?.(stage)) ?? assert.fail());
    }
  }
  const results = await Promise.allSettled(uses.map((use) => use()));
  const codes = results.map((result) =>
    result.status === "fulfilled" ? "used" : String(Reflect.get(Object(result.reason), "code")),
  );
  assert.deepEqual(codes.toSorted(), [...Array.from({ length: 5 }, () => "expired"), "used"]);
  const { email } = stage;
  await server.client().signIn({ email, password: NEW_PASSWORD });
});

type Start = Pick<Stage, "context" | "server" | "administrator">;

async function startWithAdministrator(t: TestContext): Promise<Start> {
  const context = await testContext(t);
  const root = { email: "root@example.org", password: PASSWORD, name: "Root" };
  await createAccount(context, { ...root, isAdmin: true });
  const server = await startAccounts(t, context, { signUp: "open" });
  const administrator = server.client();
  await administrator.signIn(root);
  return { context, server, administrator };
}

async function withPerson(start: Start): Promise<Stage> {
  const person = start.server.client();
  const email = `${start.context.newId()}@example.org`;
  await person.signUp({ email, password: PASSWORD, name: "Ann" });
  return { ...start, person, email, id: (await person.me()).id };
}

async function verify({ context, id }: Stage): Promise<void> {
  const { db } = context.database;
  await db.updateTable("account").set({ email_verified: 1 }).where("id", "=", id).execute();
}

async function resetByMail({ server, email }: Stage): Promise<void> {
  await server.client().requestPasswordReset({ email });
  await resetting(server, await lastToken(server))();
}

function resetting(server: AccountsServer, token: string): () => Promise<unknown> {
  return () => server.client().resetPassword({ token, newPassword: NEW_PASSWORD });
}

async function lastToken(server: AccountsServer): Promise<string> {
  return linkToken((await server.mails()).at(-1)?.link);
}
