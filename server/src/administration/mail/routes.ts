import { Type } from "#schema/json-schema.ts";
import { parseEmail } from "#accounts/account.ts";
import { createAttemptLimit } from "#accounts/attempt-limit.ts";
import type { Context } from "#context.ts";
import type { Finding } from "#doctor/finding.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { EmailAddressOrNone } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { FindingSchema } from "../finding-schema.ts";

/** The dependencies of the test email route. */
export interface TestMailRouteDeps {
  readonly context: Context;
  readonly authenticateAdministrator: Authenticate;
  /** Sends an email immediately, without the outbox, and returns the finding on the mail server's response. */
  readonly sendTestMail: (to: string) => Promise<Finding>;
}

/** The rate at which one administrator may send test emails. */
const TEST_MAIL_RATE = { name: "trial mail", burst: 5, perHour: 30 };

/** Registers the operation that sends a test email. */
export function registerTestMailRoutes(server: Server, deps: TestMailRouteDeps): void {
  const rateLimit = createAttemptLimit(deps.context, TEST_MAIL_RATE);
  const schema = {
    operationId: "testMail",
    errorStatuses: [429],
    tags: ["Administration"],
    summary: "Send a test email, by default to the caller, and show the result",
    body: Type.Object({ to: Type.Optional(EmailAddressOrNone) }),
    response: { 200: FindingSchema },
  };
  server.post("/api/app/v1/admin/mail-test", { schema }, async (request) => {
    const { accountId, email } = await deps.authenticateAdministrator(request);
    const to = request.body.to ?? "";
    const recipient = to === "" ? email : parseEmail(to);
    await rateLimit.take(accountId);
    return deps.sendTestMail(recipient);
  });
}
