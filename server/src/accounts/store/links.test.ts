import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Client } from "@tocsin/sdk";
import { startAccountsServer, type AccountsServer } from "../../../test/support/accounts-server.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";
import { createRoomContext, type RoomContext } from "../../../test/support/context.ts";
import { createAccount } from "../create-account.ts";
import { findAccountByEmail } from "./accounts.ts";
import { generateTotpCode } from "../../../test/support/totp-code.ts";

const PASSWORD = "correct horse";
const NEW_PASSWORD = "staple the battery";
const EXPIRED = { code: "expired" };

/** A server with a signed-in person and an administrator. */
interface Fixture {
  readonly context: RoomContext;
  readonly server: AccountsServer;
  readonly administrator: Client;
  readonly person: Client;
  readonly email: string;
  readonly id: string;
}

/** Creates a link and returns a function that uses it. The function fails with `expired` if the link has ended. */
type LinkFactory = (fixture: Fixture) => Promise<() => Promise<unknown>>;

/** Every kind of link or code that signs a person in or changes a sign-in method. */
const LINK_KINDS: Readonly<Record<string, LinkFactory>> = {
  "emailed reset link": async ({ server, email }) => {
    await server.createClient().requestPasswordReset({ email });
    return createReset(server, await findLastToken(server));
  },
  "shared reset link": async ({ server, administrator, id }) => {
    const { link } = await administrator.admin.accounts.resetLink(id);
    return createReset(server, parseLinkToken(link));
  },
  "link that verifies a new address": async ({ server, person, id }) => {
    await person.profile.changeEmail({ email: `${id}@other.example.org`, password: PASSWORD });
    const token = await findLastToken(server);
    return () => server.createClient().verifyEmailChange({ token });
  },
  "link that verifies the address": async ({ server, email }) => {
    const mails = (await server.listMails()).filter(({ to }) => to === email);
    const link = mails.find(({ purpose }) => purpose === "verify_email")?.link;
    return () => server.createClient().verifyEmail({ token: parseLinkToken(link) });
  },
  "pairing link": async ({ server, person }) => {
    const { url } = await person.pairings.create();
    return () => server.createClient().pair({ token: parseLinkToken(url) });
  },
  "pairing code": async ({ server, person }) => {
    const { code } = await person.pairings.create();
    return () => server.createClient().pair({ code });
  },
  "install token": async ({ server, person }) => {
    const { code } = await person.pairings.create();
    const token = (await server.createClient().pair({ code })).installToken ?? "";
    return () => server.createClient().pair({ token });
  },
  "sign-in that waits for its code": async ({ context, server, person, email }) => {
    const { secret } = await person.twoFactor.begin({ password: PASSWORD });
    await person.twoFactor.confirm({ code: generateTotpCode(secret, context.now()) });
    const browser = server.createClient();
    const { twoFactorToken: token } = await browser.signIn({ email, password: PASSWORD });
    context.clock.advance(30_000);
    const code = generateTotpCode(secret, context.now());
    return () => browser.signInWithCode({ token: token ?? "", code });
  },
};

/** The events that end an account's links. */
const EVENTS: Readonly<Record<string, (fixture: Fixture) => Promise<unknown>>> = {
  "the password is changed": ({ person }) =>
    person.changePassword({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
  "the password is reset by email": async (fixture) => {
    await verifyAddress(fixture);
    await resetByMail(fixture);
  },
  "the account is reclaimed": (fixture) => resetByMail(fixture),
  "the password is reset by a shared link": async ({ server, administrator, id }) => {
    const { link } = await administrator.admin.accounts.resetLink(id);
    await createReset(server, parseLinkToken(link))();
  },
  "the address is changed": async ({ server, person, id }) => {
    await person.profile.changeEmail({ email: `${id}@new.example.org`, password: PASSWORD });
    await server.createClient().verifyEmailChange({ token: await findLastToken(server) });
  },
  "the account is suspended and reopened": async ({ administrator, id }) => {
    await administrator.admin.accounts.update(id, { isSuspended: true });
    await administrator.admin.accounts.update(id, { isSuspended: false });
  },
  "the account is deleted, and another one has its address": async (fixture) => {
    const { server, person, email } = fixture;
    await person.profile.delete({ password: PASSWORD });
    await server.createClient().signUp({ email, password: PASSWORD, name: "Another" });
  },
};

/**
 * The links that survive an event: links that only prove an address, and, after a change of address, links of sessions.
 */
const SURVIVING_LINKS: Readonly<Record<string, readonly string[]>> = {
  "link that verifies the address": [
    "the password is changed",
    "the password is reset by email",
    "the account is reclaimed",
    "the password is reset by a shared link",
    "the account is suspended and reopened",
  ],
  "pairing link": ["the address is changed"],
  "pairing code": ["the address is changed"],
  "install token": ["the address is changed"],
  "sign-in that waits for its code": ["the address is changed"],
};

for (const [event, trigger] of Object.entries(EVENTS)) {
  test(`earlier links, except the surviving ones, are invalid once ${event}`, async (t) => {
    const base = await setUp(t);
    for (const [kind, createLink] of Object.entries(LINK_KINDS)) {
      const fixture = await addPerson(base);
      const use = await createLink(fixture);
      await trigger(fixture);
      if (SURVIVING_LINKS[kind]?.includes(event) === true) await use();
      else await assert.rejects(use(), EXPIRED, kind);
    }
  });
}

test("a link that verifies an address does not verify it for a later account", async (t) => {
  const fixture = await addPerson(await setUp(t));
  const verifyLater = await LINK_KINDS["link that verifies the address"]?.(fixture);
  await EVENTS["the account is deleted, and another one has its address"]?.(fixture);
  await assert.rejects(verifyLater?.() ?? Promise.resolve(), EXPIRED);
  const laterAccount = await findAccountByEmail(fixture.context, fixture.email);
  assert.equal(laterAccount?.isEmailVerified, false);
});

test("a verification link is valid for three days, only on the server that created it", async (t) => {
  const fixture = await addPerson(await setUp(t));
  const { context, server, email } = fixture;
  const link = (await server.listMails()).find(({ to }) => to === email)?.link;
  const token = parseLinkToken(link);
  const secret = "another secret of this server, as long as one";
  const otherServer = await startAccountsServer(t, context, { secret });
  for (const invalid of [token.slice(1), token.slice(0, -2), "", "e30"]) {
    await assert.rejects(server.createClient().verifyEmail({ token: invalid }), EXPIRED);
  }
  await assert.rejects(otherServer.createClient().verifyEmail({ token }), EXPIRED);
  context.clock.advance(3 * 24 * 3_600_000 - 1);
  await server.createClient().verifyEmail({ token });
  context.clock.advance(1);
  await assert.rejects(server.createClient().verifyEmail({ token }), EXPIRED);
});

/** The events that end the reset links that an administrator shared. */
const CREATOR_EVENTS: Readonly<Record<string, (fixture: Fixture) => Promise<unknown>>> = {
  "is no longer an administrator": ({ administrator, id }) =>
    administrator.admin.accounts.update(id, { isAdmin: false }),
  "was suspended": ({ administrator, id }) =>
    administrator.admin.accounts.update(id, { isSuspended: true }),
  "has deleted the account": ({ person }) => person.profile.delete({ password: PASSWORD }),
  "has a new password": ({ person }) =>
    person.changePassword({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
};

for (const [creatorEvent, trigger] of Object.entries(CREATOR_EVENTS)) {
  test(`a reset link from an administrator ends once its creator ${creatorEvent}`, async (t) => {
    const base = await setUp(t);
    const creator = await addPerson(base);
    const target = await addPerson(base);
    await base.administrator.admin.accounts.update(creator.id, { isAdmin: true });
    const { accounts, invitations } = creator.person.admin;
    const { link: reset } = await accounts.resetLink(target.id);
    const otherLink = (await base.administrator.admin.accounts.resetLink(target.id)).link;
    const { link: invitation } = await invitations.create();
    await trigger(creator);
    const { server } = base;
    await assert.rejects(createReset(server, parseLinkToken(reset))(), EXPIRED);
    const invitedApplicant = { email: "new@example.org", password: PASSWORD, name: "New" };
    const signUp = server
      .createClient()
      .signUp({ ...invitedApplicant, token: parseLinkToken(invitation) });
    // An invitation to sign up does not depend on its creator's password.
    if (creatorEvent === "has a new password") await signUp;
    else await assert.rejects(signUp, EXPIRED);
    await createReset(server, parseLinkToken(otherLink))();
  });
}

test("only one of several concurrently used reset links works", async (t) => {
  const fixture = await addPerson(await setUp(t));
  const { server } = fixture;
  const uses: (() => Promise<unknown>)[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (const kind of ["emailed", "shared"]) {
      uses.push((await LINK_KINDS[`${kind} reset link`]?.(fixture)) ?? assert.fail());
    }
  }
  const results = await Promise.allSettled(uses.map((use) => use()));
  const codes = results.map((result) =>
    result.status === "fulfilled" ? "used" : String(Reflect.get(Object(result.reason), "code")),
  );
  assert.deepEqual(codes.toSorted(), [...Array.from({ length: 5 }, () => "expired"), "used"]);
  const { email } = fixture;
  await server.createClient().signIn({ email, password: NEW_PASSWORD });
});

type BaseFixture = Pick<Fixture, "context" | "server" | "administrator">;

async function setUp(t: TestContext): Promise<BaseFixture> {
  const context = await createRoomContext(t);
  const root = { email: "root@example.org", password: PASSWORD, name: "Root" };
  await createAccount(context, { ...root, isAdmin: true });
  const server = await startAccountsServer(t, context, { signUp: "open" });
  const administrator = server.createClient();
  await administrator.signIn(root);
  return { context, server, administrator };
}

async function addPerson(base: BaseFixture): Promise<Fixture> {
  const person = base.server.createClient();
  const email = `${base.context.newId()}@example.org`;
  await person.signUp({ email, password: PASSWORD, name: "Ann" });
  return { ...base, person, email, id: (await person.me()).id };
}

async function verifyAddress({ context, id }: Fixture): Promise<void> {
  const { db } = context.database;
  await db.updateTable("account").set({ email_verified: 1 }).where("id", "=", id).execute();
}

async function resetByMail({ server, email }: Fixture): Promise<void> {
  await server.createClient().requestPasswordReset({ email });
  await createReset(server, await findLastToken(server))();
}

function createReset(server: AccountsServer, token: string): () => Promise<unknown> {
  return () => server.createClient().resetPassword({ token, newPassword: NEW_PASSWORD });
}

async function findLastToken(server: AccountsServer): Promise<string> {
  return parseLinkToken((await server.listMails()).at(-1)?.link);
}
