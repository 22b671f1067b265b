import { text } from "node:stream/consumers";
import { callbackify } from "node:util";
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerAuthentication,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from "smtp-server";
import { Arrivals, type WaitOptions } from "./arrivals.ts";
import { generateCertificate } from "./certificate.ts";
import { LOOPBACK, listen } from "./listen.ts";
import { readPlainText, readSubject } from "./mail-text.ts";

/** A received email. */
export interface Mail {
  /** The envelope's sender; empty for a delivery status notification. */
  readonly from: string;
  /** The envelope's recipients. */
  readonly to: readonly string[];
  readonly subject: string;
  /** The decoded text/plain part; null if there is none. */
  readonly text: string | null;
  readonly raw: string;
  /** The user who logged in, or null. */
  readonly user: string | null;
  readonly isEncrypted: boolean;
}

/** The encryption and login that a server requires. */
export interface MailServerOptions {
  /** `starttls` offers encryption and requires it for logins. `plain` by default. */
  readonly security?: "plain" | "starttls";
  /** The user who must log in; anyone may send if absent. */
  readonly login?: { readonly user: string; readonly password: string };
}

const MAIL_MAX_BYTES = 1_048_576;
/** How long clients may take to disconnect when the server closes. */
const CLOSE_TIMEOUT_MS = 500;

/** A local mail server that stores received emails. */
export class MailServer {
  /** `smtp://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** The certificate to trust for STARTTLS, PEM. */
  readonly ca: string;
  readonly #server: SMTPServer;
  readonly #mails: Arrivals<Mail>;
  readonly #refusals: Map<string, number>;

  /** Starts a server on a free loopback port. */
  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const { key, cert } = generateCertificate([LOOPBACK]);
    const mails = new Arrivals<Mail>("mails");
    const refusals = new Map<string, number>();
    const { security = "plain", login } = options;
    const server = new SMTPServer({
      key,
      cert,
      size: MAIL_MAX_BYTES,
      closeTimeout: CLOSE_TIMEOUT_MS,
      disableReverseLookup: true,
      disabledCommands: [
        ...(security === "plain" ? ["STARTTLS"] : []),
        ...(login === undefined ? ["AUTH"] : []),
      ],
      allowInsecureAuth: security === "plain",
      authOptional: login === undefined,
      ...createReceiveOptions(mails, refusals),
      ...createAuthOptions(login),
    });
    // Some tests abort connections.
    server.on("error", () => undefined);
    const port = await listen(server.server);
    return new MailServer({ server, port, ca: cert }, { mails, refusals });
  }

  private constructor(
    listener: { readonly server: SMTPServer; readonly port: number; readonly ca: string },
    state: { readonly mails: Arrivals<Mail>; readonly refusals: Map<string, number> },
  ) {
    this.url = `smtp://${LOOPBACK}:${listener.port}`;
    this.port = listener.port;
    this.ca = listener.ca;
    this.#server = listener.server;
    this.#mails = state.mails;
    this.#refusals = state.refusals;
  }

  /** Every email so far, in order. */
  get mails(): readonly Mail[] {
    return this.#mails.all;
  }

  /** Resolves with the oldest email that `next` has not returned yet. Rejects after the timeout. */
  async next(options: WaitOptions = {}): Promise<Mail> {
    return this.#mails.next(options);
  }

  /** Resolves with all emails once there are `count`. Rejects after the timeout. */
  async waitForMails(count: number, options: WaitOptions = {}): Promise<readonly Mail[]> {
    return this.#mails.waitForCount(count, options);
  }

  /** Answers RCPT TO for this address with a status: 550 is permanent, 451 temporary. */
  refuse(recipient: string, status = 550): void {
    this.#refusals.set(recipient, status);
  }

  /** Accepts email for this address again. */
  accept(recipient: string): void {
    this.#refusals.delete(recipient);
  }

  /** Stops the server and cuts every connection. Safe to repeat. */
  async close(): Promise<void> {
    for (const connection of this.#server.connections) connection.close();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

function createReceiveOptions(
  mails: Arrivals<Mail>,
  refusals: ReadonlyMap<string, number>,
): SMTPServerOptions {
  return {
    onRcptTo({ address }: SMTPServerAddress, _session, callback) {
      const status = refusals.get(address);
      callback(status === undefined ? null : createRefusal(status, "The recipient is refused."));
    },
    onData(stream, session, callback) {
      callbackify(readMail)(stream, session, (error, mail) => {
        if (!error) mails.add(mail);
        callback(error);
      });
    },
  };
}

function createAuthOptions(login: MailServerOptions["login"]): SMTPServerOptions {
  if (login === undefined) return {};
  return {
    onAuth({ username, password }: SMTPServerAuthentication, _session, callback) {
      const isKnown = username === login.user && password === login.password;
      if (isKnown) callback(null, { user: login.user });
      else callback(createRefusal(535, "The login is wrong."));
    },
  };
}

async function readMail(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Mail> {
  const raw = await text(stream);
  const { mailFrom, rcptTo } = session.envelope;
  return {
    from: mailFrom === false ? "" : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    subject: readSubject(raw),
    text: readPlainText(raw),
    raw,
    user: session.user ?? null,
    isEncrypted: session.secure,
  };
}

/** Returns an error whose `responseCode` smtp-server sends. */
function createRefusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
