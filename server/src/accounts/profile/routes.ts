import { createUnknownActor } from "#audit/actor.ts";
import { Type } from "#schema/json-schema.ts";
import type { Authenticate, Guard } from "#http/authenticate.ts";
import { EmailAddress, VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { NAME_MAX_CHARACTERS, parseEmail, parseName } from "../account.ts";
import { AccountResponse, toAccountResponse } from "../response.ts";
import type { Auth } from "../auth.ts";
import { requirePasswordOrRecentSignIn, type ConfirmationDeps } from "../confirmation.ts";
import { createVerificationMail } from "../mails.ts";
import { createAttemptLimit, toNetwork, type AttemptLimit } from "../attempt-limit.ts";
import { beginEmailChange, verifyEmailChange, type ChangeEmailDeps } from "./change-email.ts";
import { renameAccount } from "./store.ts";

interface ProfileRouteDeps extends ChangeEmailDeps, ConfirmationDeps {
  readonly authenticate: Authenticate;
  readonly auth: Pick<Auth, "createVerificationToken"> & ConfirmationDeps["auth"];
}

/** Limits emails to a new address, per account and per address, because the address may belong to another person. */
const CHANGE_MAIL_RATE = { name: "change of email address", burst: 3, perHour: 6 };
/** Limits repeated verification emails per address, because the address may belong to another person. */
const VERIFICATION_MAIL_RATE = { name: "verification email", burst: 3, perHour: 2 };
/** Limits, per network, the attempts to verify a new address. */
const VERIFY_CHANGE_RATE = { name: "link to verify", burst: 20, perHour: 120 };

/** Registers the operations that change the name and email address of the caller. */
export function registerProfileRoutes(server: Server, deps: ProfileRouteDeps, guard: Guard): void {
  const changeMailLimit = createAttemptLimit(deps.context, CHANGE_MAIL_RATE);
  registerRename(server, deps);
  registerEmailChange(server, deps, changeMailLimit);
  registerEmailChangeVerification(server, deps, guard);
  registerVerificationResend(server, deps);
}

const tags = ["Account"];

function registerRename(server: Server, { context, authenticate }: ProfileRouteDeps): void {
  const schema = {
    operationId: "updateMe",
    tags,
    summary: "Change my name",
    body: Type.Object({ name: VisibleText(NAME_MAX_CHARACTERS) }),
    response: { 200: AccountResponse },
  };
  server.patch("/api/app/v1/me", { schema }, async (request) => {
    const person = await authenticate(request);
    const name = parseName("name", request.body.name);
    await renameAccount(context, { accountId: person.accountId, name });
    return toAccountResponse({ ...person, id: person.accountId, name });
  });
}

function registerEmailChange(
  server: Server,
  deps: ProfileRouteDeps,
  changeMailLimit: AttemptLimit,
): void {
  const schema = {
    operationId: "changeEmail",
    errorStatuses: [429],
    tags,
    summary:
      "Change my email address; takes effect when the link emailed to the new address is opened",
    description: "Asks for the password, unless the session was opened in the last ten minutes.",
    body: Type.Object({ email: EmailAddress, password: Type.Optional(Type.String()) }),
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/me/email", { schema }, async (request, reply) => {
    const { accountId, session } = await deps.authenticate(request);
    const { password = null } = request.body;
    const email = parseEmail(request.body.email);
    await requirePasswordOrRecentSignIn(deps, { accountId, session, password });
    await changeMailLimit.take(accountId);
    await changeMailLimit.take(email);
    await beginEmailChange(deps, { accountId, email });
    return reply.code(204).send(null);
  });
}

/** The emailed link opens a page, and the page calls this operation. */
function registerEmailChangeVerification(
  server: Server,
  deps: ProfileRouteDeps,
  guard: Guard,
): void {
  const limit = createAttemptLimit(deps.context, VERIFY_CHANGE_RATE);
  const schema = {
    operationId: "verifyEmailChange",
    errorStatuses: [409, 429],
    tags: ["Sign-in"],
    summary: "Verify my new email address with the token of an emailed link",
    body: Type.Object({ token: Type.String() }),
    response: { 200: Type.Object({ success: Type.Boolean() }) },
  };
  const path = "/api/auth/verify-email-change";
  server.post(path, { schema, onRequest: guard }, async (request) => {
    await limit.take(toNetwork(request.ip));
    const { token } = request.body;
    await verifyEmailChange(deps, { token, actor: createUnknownActor(request) });
    return { success: true };
  });
}

/** Registers the operation that emails the caller's own address, and so reveals nothing about other addresses. */
function registerVerificationResend(server: Server, deps: ProfileRouteDeps): void {
  const { context, auth, mail, baseUrl } = deps;
  const verificationMailLimit = createAttemptLimit(context, VERIFICATION_MAIL_RATE);
  const schema = {
    operationId: "sendVerification",
    errorStatuses: [429],
    tags,
    summary:
      "Resend the link that verifies my email address, unless the address is already verified",
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/me/verification", { schema }, async (request, reply) => {
    const { accountId, email, isEmailVerified } = await deps.authenticate(request);
    if (!isEmailVerified) {
      await verificationMailLimit.take(email);
      const token = auth.createVerificationToken({ accountId, email });
      await mail.enqueue(createVerificationMail(baseUrl, { email, token }));
    }
    return reply.code(204).send(null);
  });
}
