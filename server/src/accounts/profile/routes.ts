import { strangerAt } from "#audit/actor.ts";
import { Type } from "#schema/json-schema.ts";
import type { Authenticate, Guard } from "#http/authenticate.ts";
import { EmailAddress, Words } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { NAME_MAX_CHARACTERS, parseEmail, parseName } from "../account.ts";
import { AccountAnswer, answerAccount } from "../answer.ts";
import type { Auth } from "../auth.ts";
import { requirePresence, type ConfirmDeps } from "../confirm.ts";
import { verificationMail } from "../mails.ts";
import { createLimit, networkOf, type Limit } from "../limit.ts";
import { beginEmailChange, finishEmailChange, type ChangeEmailDeps } from "./change-email.ts";
import { renameAccount } from "./store.ts";

interface ProfileRouteDeps extends ChangeEmailDeps, ConfirmDeps {
  readonly authenticate: Authenticate;
  readonly auth: Pick<Auth, "newVerificationToken"> & ConfirmDeps["auth"];
}

/** Limits mails to addresses that may belong to another person, per account and per address. */
const MAIL_RATE = { name: "change of e-mail address", burst: 3, perHour: 6 };
/** Limits repeated sign-up mails, because the address may belong to another person. */
const VERIFICATION_MAIL_RATE = { name: "verification mail", burst: 3, perHour: 2 };
const LINK_RATE = { name: "link to verify", burst: 20, perHour: 120 };

/** Registers the operations that change the name and e-mail address of the caller. */
export function registerProfileRoutes(server: Server, deps: ProfileRouteDeps, guard: Guard): void {
  const perRecipient = createLimit(deps.context, MAIL_RATE);
  registerRename(server, deps);
  registerEmailChange(server, deps, perRecipient);
  registerEmailVerification(server, deps, guard);
  registerVerificationMail(server, deps);
}

const tags = ["Account"];

function registerRename(server: Server, { context, authenticate }: ProfileRouteDeps): void {
  const schema = {
    operationId: "updateMe",
    tags,
    summary: "Change my name",
    body: Type.Object({ name: Words(NAME_MAX_CHARACTERS) }),
    response: { 200: AccountAnswer },
  };
  server.patch("/api/app/v1/me", { schema }, async (request) => {
    const person = await authenticate(request);
    const name = parseName("name", request.body.name);
    await renameAccount(context, { accountId: person.accountId, name });
    return answerAccount({ ...person, id: person.accountId, name });
  });
}

function registerEmailChange(server: Server, deps: ProfileRouteDeps, perRecipient: Limit): void {
  const schema = {
    operationId: "changeEmail",
    refusals: [429],
    tags,
    summary:
      "Change my e-mail address; takes effect when the link mailed to the new address is opened",
    description: "Asks for the password, unless the session was opened in the last ten minutes.",
    body: Type.Object({ email: EmailAddress, password: Type.Optional(Type.String()) }),
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/me/email", { schema }, async (request, reply) => {
    const { accountId, session } = await deps.authenticate(request);
    const { password = null } = request.body;
    const email = parseEmail(request.body.email);
    await requirePresence(deps, { accountId, session, password });
    await perRecipient.take(accountId);
    await perRecipient.take(email);
    await beginEmailChange(deps, { accountId, email });
    return reply.code(204).send(null);
  });
}

/** The mailed link opens a page, and the page calls this operation. */
function registerEmailVerification(server: Server, deps: ProfileRouteDeps, guard: Guard): void {
  const limit = createLimit(deps.context, LINK_RATE);
  const schema = {
    operationId: "verifyEmailChange",
    refusals: [409, 429],
    tags: ["Sign-in"],
    summary: "Confirm my new e-mail address with the token of a mailed link",
    body: Type.Object({ token: Type.String() }),
    response: { 200: Type.Object({ success: Type.Boolean() }) },
  };
  const path = "/api/auth/verify-email-change";
  server.post(path, { schema, onRequest: guard }, async (request) => {
    await limit.take(networkOf(request.ip));
    const { token } = request.body;
    await finishEmailChange(deps, { token, actor: strangerAt(request) });
    return { success: true };
  });
}

/** Requires a session and concerns only the caller's address, so it reveals nothing about other addresses. */
function registerVerificationMail(server: Server, deps: ProfileRouteDeps): void {
  const { context, auth, mail, baseUrl } = deps;
  const perRecipient = createLimit(context, VERIFICATION_MAIL_RATE);
  const schema = {
    operationId: "sendVerification",
    refusals: [429],
    tags,
    summary: "Send the link that confirms my e-mail address again, unless it is confirmed",
    response: { 204: Type.Null() },
  };
  server.post("/api/app/v1/me/verification", { schema }, async (request, reply) => {
    const { accountId, email, isEmailVerified } = await deps.authenticate(request);
    if (!isEmailVerified) {
      await perRecipient.take(email);
      const token = auth.newVerificationToken({ accountId, email });
      await mail.enqueue(verificationMail(baseUrl, { email, token }));
    }
    return reply.code(204).send(null);
  });
}
