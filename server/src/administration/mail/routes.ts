import { Type } from "#schema/json-schema.ts";
import { parseEmail } from "#accounts/account.ts";
import { createLimit } from "#accounts/limit.ts";
import type { Context } from "#context.ts";
import type { Finding } from "#doctor/finding.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { EmailAddressOrNone } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { FindingAnswer } from "../finding-answer.ts";

/** The dependencies of the test mail route. */
export interface MailTestDeps {
  readonly context: Context;
  readonly authenticateAdministrator: Authenticate;
  /** Sends a mail immediately, without the outbox, and returns the response of the mail server. */
  readonly tryMail: (to: string) => Promise<Finding>;
}

/** Limit per administrator. */
const MAIL_RATE = { name: "trial mail", burst: 5, perHour: 30 };

/** Registers the operation that sends a test mail. */
export function registerMailTest(server: Server, deps: MailTestDeps): void {
  const limit = createLimit(deps.context, MAIL_RATE);
  const schema = {
    operationId: "testMail",
    refusals: [429],
    tags: ["Administration"],
    summary: "Send a test e-mail, to oneself by default, and show the result",
    body: Type.Object({ to: Type.Optional(EmailAddressOrNone) }),
    response: { 200: FindingAnswer },
  };
  server.post("/api/app/v1/admin/mail-test", { schema }, async (request) => {
    const { accountId, email } = await deps.authenticateAdministrator(request);
    const to = request.body.to ?? "";
    const recipient = to === "" ? email : parseEmail(to);
    await limit.take(accountId);
    return deps.tryMail(recipient);
  });
}
