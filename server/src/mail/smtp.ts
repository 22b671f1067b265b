import { createTransport } from "nodemailer";
import type { MailOutcome, SendMail } from "./mail.ts";

/** A pool of connections to one mail server. */
export interface SmtpPool {
  readonly send: SendMail;
  /** Closes idle connections, and busy ones after their mail. */
  close(): void;
}

/** The mail server (`smtp://` or `smtps://`) and the sender (`Name <address>` or an address). */
export interface SmtpOptions {
  readonly smtpUrl: string;
  readonly from: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 3;

/** Returns the pool for one mail server. The pool connects for the first mail. */
export function createSmtpPool({ smtpUrl, from }: SmtpOptions): SmtpPool {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    // A dropped connection counts as an attempt of the outbox, which waits before the next.
    maxRequeues: 0,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s@>]+)/.exec(from)?.[1] ?? "localhost";
  return {
    async send({ id, to, subject, text }, signal) {
      try {
        await transport.sendMail({
          from,
          // An object is used unchanged; a string would be parsed as a list of addresses.
          to: { name: "", address: to },
          subject,
          text,
          messageId: `<${id}@${domain}>`,
          // RFC 3834 section 5: prevents automatic replies, such as holiday notes.
          headers: { "Auto-Submitted": "auto-generated" },
          signal,
        });
        return { kind: "accepted" };
      } catch (error) {
        return toMailOutcome(error);
      }
    },
    close: () => transport.close(),
  };
}

/**
 * A 5xx to RCPT TO or DATA concerns this mail (RFC 5321 section 4.2.1). A 5xx to MAIL FROM or AUTH concerns this
 * server's settings, which the operator will fix, so the mail waits.
 */
function toMailOutcome(error: unknown): MailOutcome {
  const { code, command, responseCode } = readSmtpError(error);
  const reason = [code, responseCode, command].filter((part) => part !== null).join(" ");
  const isAboutMail = command === "RCPT TO" || command === "DATA";
  const isPermanent = responseCode !== null && responseCode >= 500 && isAboutMail;
  return { kind: isPermanent ? "refused" : "retry", reason };
}

/** Omits the error's message: it quotes the server, and the server quotes the address. */
function readSmtpError(error: unknown) {
  const readProperty = (name: string): unknown =>
    error instanceof Error ? Reflect.get(error, name) : undefined;
  const code = readProperty("code");
  const command = readProperty("command");
  const responseCode = readProperty("responseCode");
  return {
    code: typeof code === "string" ? code : "unknown",
    command: typeof command === "string" ? command : null,
    responseCode: typeof responseCode === "number" ? responseCode : null,
  };
}
