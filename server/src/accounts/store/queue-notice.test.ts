import assert from "node:assert/strict";
import { test } from "node:test";
import { totpCode } from "../../../test/support/authenticator.ts";
import { startAccounts } from "../../../test/support/accounts.ts";
import { testContext } from "../../../test/support/room.ts";
import { OPERATOR } from "#audit/event.ts";
import { createAccount } from "../create-account.ts";
import { linkToken } from "../../../test/support/link-token.ts";
import { createResetLink } from "../other-accounts/reset-link.ts";
import { findPasswordHash } from "./accounts.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const OTHER = "another horse";
const BASE_URL = "http://localhost:8080";

test("a change is rolled back if its notice cannot be queued", async (t) => {
  const context = await testContext(t);
  const accountId = await createAccount(context, ANN);
  const server = await startAccounts(t, context);
  const ann = server.client();
  await ann.signIn(ANN);
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: totpCode(secret, context.now()) });
  const { link } = await createResetLink(
    { context, baseUrl: BASE_URL },
    { accountId, actor: OPERATOR },
  );
  const before = await findPasswordHash(context, accountId);
  const { schema } = context.database.db;
  await schema.alterTable("mail_message").renameTo("lost").execute();
  const failed = { status: 500 };
  await assert.rejects(ann.twoFactor.end({ password: ANN.password }), failed);
  const change = { currentPassword: ANN.password, newPassword: OTHER };
  await assert.rejects(ann.changePassword(change), failed);
  const reset = { token: linkToken(link), newPassword: OTHER };
  await assert.rejects(server.client().resetPassword(reset), failed);
  await schema.alterTable("lost").renameTo("mail_message").execute();
  assert.equal((await ann.profile.security()).isTwoFactorOn, true);
  assert.equal(await findPasswordHash(context, accountId), before);
  await ann.changePassword(change);
  assert.deepEqual(
    (await server.mails()).map(({ to, text }) => [to, text.split(",")[0]]),
    [[ANN.email, "Your password was changed"]],
  );
});
