import { createTransport } from "nodemailer";
import type { Config } from "#config/config.ts";
import { describeFault, classifyError } from "./connection-fault.ts";
import { fail, ok, type Verdict } from "./finding.ts";

/** The timeout of each phase: the look-up of the name, the connection, the greeting, and each wait after it. */
const PHASE_TIMEOUT_MS = 5_000;

/** Connects to the mail server and logs in, but sends no email. */
export async function checkMail({ mail }: Pick<Config, "mail">): Promise<Verdict> {
  if (mail === null) {
    return ok("Not configured: the links that emails would contain are written to the log.");
  }
  const url = new URL(mail.smtpUrl);
  const transport = openTransport(mail.smtpUrl);
  try {
    await transport.verify();
    const login = url.username === "" ? "" : " and accepts the login";
    return ok(`The mail server ${url.host} answers${login}.`);
  } catch (error) {
    return explainFailure(error, url);
  } finally {
    transport.close();
  }
}

/** The content of a test email. */
export interface TestMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends a test email immediately, and returns the verdict on the mail server's response. */
export async function sendTestMail(
  { mail }: Pick<Config, "mail">,
  { to, subject, text }: TestMail,
): Promise<Verdict> {
  if (mail === null) {
    return fail(
      "No mail server is set: links are written to the log, and shown here for you to copy.",
      "Set TOCSIN_SMTP_URL and TOCSIN_MAIL_FROM, and restart the server.",
    );
  }
  const url = new URL(mail.smtpUrl);
  const transport = openTransport(mail.smtpUrl);
  try {
    const headers = { "Auto-Submitted": "auto-generated" };
    // nodemailer parses a string as a list of addresses, but uses an object unchanged.
    const address = { name: "", address: to };
    await transport.sendMail({ from: mail.from, to: address, subject, text, headers });
    return ok(
      `The mail server ${url.host} accepted the email to ${to}. It may take a minute to arrive.`,
    );
  } catch (error) {
    return explainRefusal(error, url) ?? explainFailure(error, url);
  } finally {
    transport.close();
  }
}

function openTransport(smtpUrl: string) {
  return createTransport({
    url: smtpUrl,
    dnsTimeout: PHASE_TIMEOUT_MS,
    connectionTimeout: PHASE_TIMEOUT_MS,
    greetingTimeout: PHASE_TIMEOUT_MS,
    socketTimeout: PHASE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Explains the mail server's refusal of the sender, the recipient or the content; null for an earlier failure. */
function explainRefusal(error: unknown, { host }: URL): Verdict | null {
  const readProperty = (name: string): unknown =>
    error instanceof Error ? Reflect.get(error, name) : undefined;
  const replyCode = readProperty("responseCode");
  const suffix = typeof replyCode === "number" ? ` (${replyCode})` : "";
  switch (readProperty("command")) {
    case "MAIL FROM":
      return fail(
        `The mail server ${host} refuses the sender${suffix}.`,
        "Set TOCSIN_MAIL_FROM to an address that this mail server sends for.",
      );
    case "RCPT TO":
      return fail(
        `The mail server ${host} refuses the recipient${suffix}.`,
        "Check the address; some mail servers send to others only after a login, in TOCSIN_SMTP_URL.",
      );
    case "DATA":
      return fail(
        `The mail server ${host} refuses the email itself${suffix}.`,
        "Ask the operator of the mail server what it requires of senders.",
      );
    default:
      return null;
  }
}

/** Explains a failure. Omits the error's message: it quotes the server, which may quote the login. */
function explainFailure(error: unknown, { host, hostname }: URL): Verdict {
  const { code, replyCode, fault } = readMailError(error);
  const failWith = (remedy: string) =>
    fail(`The mail server ${host} ${describeFault(fault)}.`, remedy);
  if (code === "EAUTH" || code === "ENOAUTH") {
    return fail(
      `The mail server ${host} refuses the login${replyCode === null ? "" : ` (${replyCode})`}.`,
      "Correct user and password in TOCSIN_SMTP_URL; write @ : / and % in them as %40 %3A %2F %25.",
    );
  }
  if (code === "EPROTOCOL" || replyCode !== null) {
    return fail(
      `${host} does not greet as a mail server does${replyCode === null ? "" : ` (${replyCode})`}.`,
      "Correct host and port in TOCSIN_SMTP_URL, or ask the operator of the mail server.",
    );
  }
  switch (fault.kind) {
    case "unknown name":
      return failWith("Correct the host in TOCSIN_SMTP_URL.");
    case "refused":
      return failWith("Correct the port in TOCSIN_SMTP_URL, or start the mail server.");
    case "tls":
      return fault.code?.startsWith("ERR_SSL") === true
        ? failWith(
            "Give smtp:// in TOCSIN_SMTP_URL for a port without TLS from the start, such as 587.",
          )
        : failWith(`The mail server needs a trusted certificate that names ${hostname}.`);
    case "silent":
    case "broken":
    case "not public":
      return failWith(
        "Check host and port in TOCSIN_SMTP_URL, smtps:// only for port 465, and that the firewall lets email out.",
      );
  }
}

/** Returns the codes and the fault of an error of nodemailer, which keeps the system's code as `originalCode`. */
function readMailError(error: unknown) {
  const readProperty = (name: string): unknown =>
    error instanceof Error ? Reflect.get(error, name) : undefined;
  const replyCode = readProperty("responseCode");
  const originalCode = readProperty("originalCode");
  const cause =
    typeof originalCode === "string"
      ? Object.assign(new Error("Mail."), {
          code: originalCode,
          syscall: readProperty("syscall") ?? "",
        })
      : error;
  return {
    code: String(readProperty("code")),
    replyCode: typeof replyCode === "number" ? replyCode : null,
    fault: classifyError(cause),
  };
}
