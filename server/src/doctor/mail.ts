import { createTransport } from "nodemailer";
import type { Config } from "#config/config.ts";
import { describeFault, faultOf } from "./connection-fault.ts";
import { fail, ok, type Verdict } from "./finding.ts";

const STEP_TIMEOUT_MS = 5_000;

/** Connects to the mail server and logs in, as sending does; sends no mail. */
export async function checkMail({ mail }: Pick<Config, "mail">): Promise<Verdict> {
  if (mail === null) {
    return ok("Not configured: the links that mails would carry are written to the log.");
  }
  const url = new URL(mail.smtpUrl);
  const transport = open(mail.smtpUrl);
  try {
    await transport.verify();
    const login = url.username === "" ? "" : " and accepts the login";
    return ok(`The mail server ${url.host} answers${login}.`);
  } catch (error) {
    return explain(error, url);
  } finally {
    transport.close();
  }
}

/** A mail that tests whether mail works. */
export interface TrialMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends a mail at once, and returns the mail server's answer. */
export async function tryMail(
  { mail }: Pick<Config, "mail">,
  { to, subject, text }: TrialMail,
): Promise<Verdict> {
  if (mail === null) {
    return fail(
      "No mail server is set: links are written to the log, and shown here for you to copy.",
      "Set TOCSIN_SMTP_URL and TOCSIN_MAIL_FROM, and restart the server.",
    );
  }
  const url = new URL(mail.smtpUrl);
  const transport = open(mail.smtpUrl);
  try {
    const headers = { "Auto-Submitted": "auto-generated" };
    // An object is used unchanged; a string would be parsed as a list of addresses.
    const address = { name: "", address: to };
    await transport.sendMail({ from: mail.from, to: address, subject, text, headers });
    return ok(
      `The mail server ${url.host} accepted the e-mail to ${to}. It may take a minute to arrive.`,
    );
  } catch (error) {
    return explainRefusal(error, url) ?? explain(error, url);
  } finally {
    transport.close();
  }
}

function open(smtpUrl: string) {
  return createTransport({
    url: smtpUrl,
    dnsTimeout: STEP_TIMEOUT_MS,
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    socketTimeout: STEP_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Returns the mail server's refusal of a sender, a recipient or a text; null if it did not get that far. */
function explainRefusal(error: unknown, { host }: URL): Verdict | null {
  const fact = (name: string): unknown =>
    error instanceof Error ? Reflect.get(error, name) : undefined;
  const status = fact("responseCode");
  const because = typeof status === "number" ? ` (${status})` : "";
  switch (fact("command")) {
    case "MAIL FROM":
      return fail(
        `The mail server ${host} refuses the sender${because}.`,
        "Set TOCSIN_MAIL_FROM to an address that this mail server sends for.",
      );
    case "RCPT TO":
      return fail(
        `The mail server ${host} refuses the recipient${because}.`,
        "Check the address; some mail servers send to others only after a login, in TOCSIN_SMTP_URL.",
      );
    case "DATA":
      return fail(
        `The mail server ${host} refuses the mail itself${because}.`,
        "Ask the operator of the mail server what it requires of senders.",
      );
    default:
      return null;
  }
}

/** Omits the error's message, which quotes the server, which may quote the login. */
function explain(error: unknown, { host, hostname }: URL): Verdict {
  const { code, status, fault } = factsOf(error);
  const because = (mend: string) => fail(`The mail server ${host} ${describeFault(fault)}.`, mend);
  if (code === "EAUTH" || code === "ENOAUTH") {
    return fail(
      `The mail server ${host} refuses the login${status === null ? "" : ` (${status})`}.`,
      "Correct user and password in TOCSIN_SMTP_URL; write @ : / and % in them as %40 %3A %2F %25.",
    );
  }
  if (code === "EPROTOCOL" || status !== null) {
    return fail(
      `${host} does not greet as a mail server does${status === null ? "" : ` (${status})`}.`,
      "Correct host and port in TOCSIN_SMTP_URL, or ask the operator of the mail server.",
    );
  }
  switch (fault.kind) {
    case "unknown name":
      return because("Correct the host in TOCSIN_SMTP_URL.");
    case "refused":
      return because("Correct the port in TOCSIN_SMTP_URL, or start the mail server.");
    case "tls":
      return fault.code?.startsWith("ERR_SSL") === true
        ? because(
            "Give smtp:// in TOCSIN_SMTP_URL for a port without TLS from the start, such as 587.",
          )
        : because(`The mail server needs a trusted certificate that names ${hostname}.`);
    case "silent":
    case "broken":
    case "not public":
      return because(
        "Check host and port in TOCSIN_SMTP_URL, smtps:// only for port 465, and that the firewall lets mail out.",
      );
  }
}

/** nodemailer replaces the system's error code by its own, and keeps the original beside it. */
function factsOf(error: unknown) {
  const fact = (name: string): unknown =>
    error instanceof Error ? Reflect.get(error, name) : undefined;
  const status = fact("responseCode");
  const original = fact("originalCode");
  const cause =
    typeof original === "string"
      ? Object.assign(new Error("Mail."), { code: original, syscall: fact("syscall") ?? "" })
      : error;
  return {
    code: String(fact("code")),
    status: typeof status === "number" ? status : null,
    fault: faultOf(cause),
  };
}
