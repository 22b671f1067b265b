import assert from "node:assert/strict";
import { test } from "node:test";
import { generateTotpCode } from "../../../test/support/totp-code.ts";
import { startAccountsServer } from "../../../test/support/accounts-server.ts";
import { createRoomContext } from "../../../test/support/context.ts";
import { OPERATOR } from "#audit/event.ts";
import { createAccount } from "../create-account.ts";
import { parseLinkToken } from "../../../test/support/link-token.ts";
import { createResetLink } from "../other-accounts/reset-link.ts";
import { findPasswordHash } from "./accounts.ts";

const ANN = { email: "ann@example.org", password: "correct horse", name: "Ann", isAdmin: false };
const NEW_PASSWORD = "another horse";
const BASE_URL = "http://localhost:8080";

test("a change is rolled back if its notice cannot be queued", async (t) => {
  const context = await createRoomContext(t);
  const accountId = await createAccount(context, ANN);
  const server = await startAccountsServer(t, context);
  const ann = server.createClient();
  await ann.signIn(ANN);
  const { secret } = await ann.twoFactor.begin({ password: ANN.password });
  await ann.twoFactor.confirm({ code: generateTotpCode(secret, context.now()) });
  const { link } = await createResetLink(
    { context, baseUrl: BASE_URL },
    { accountId, actor: OPERATOR },
  );
  const hashBefore = await findPasswordHash(context, accountId);
  const { schema } = context.database.db;
  await schema.alterTable("mail_message").renameTo("unavailable_mail").execute();
  const serverError = { status: 500 };
  await assert.rejects(ann.twoFactor.end({ password: ANN.password }), serverError);
  const change = { currentPassword: ANN.password, newPassword: NEW_PASSWORD };
  await assert.rejects(ann.changePassword(change), serverError);
  const reset = { token: parseLinkToken(link), newPassword: NEW_PASSWORD };
  await assert.rejects(server.createClient().resetPassword(reset), serverError);
  await schema.alterTable("unavailable_mail").renameTo("mail_message").execute();
  assert.equal((await ann.profile.security()).isTwoFactorOn, true);
  assert.equal(await findPasswordHash(context, accountId), hashBefore);
  await ann.changePassword(change);
  assert.deepEqual(
    (await server.listMails()).map(({ to, text }) => [to, text.split(" on this Tocsin server")[0]]),
    [[ANN.email, "Your password was changed"]],
  );
});
