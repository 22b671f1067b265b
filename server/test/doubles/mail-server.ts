import { text } from "node:stream/consumers";
import { callbackify } from "node:util";
import { SMTPServer } from "smtp-server";
import type {
  SMTPServerAddress,
  SMTPServerAuthentication,
  SMTPServerDataStream,
  SMTPServerOptions,
  SMTPServerSession,
} from "smtp-server";
import { Arrivals } from "./arrivals.ts";
import type { WaitOptions } from "./arrivals.ts";
import { makeCertificate } from "./certificate.ts";
import { LOOPBACK, listen } from "./listen.ts";
import { plainTextOf, subjectOf } from "./mail-text.ts";

/** One mail as it was handed over. */
export interface Mail {
  /** The envelope's sender; empty for a notice that must not be answered. */
  readonly from: string;
  /** The envelope's recipients. */
  readonly to: readonly string[];
  readonly subject: string;
  /** The decoded text/plain part; null where there is none. */
  readonly text: string | null;
  readonly raw: string;
  /** The user who logged in, or null. */
  readonly user: string | null;
  readonly isEncrypted: boolean;
}

export interface MailServerOptions {
  /** `starttls` offers encryption and takes no login without it; nothing else is offered by default. */
  readonly security?: "plain" | "starttls";
  /** The user who must log in; anyone may send if absent. */
  readonly login?: { readonly user: string; readonly password: string };
}

const MAX_MAIL_BYTES = 1_048_576;
/** How long clients may take to hang up when the server closes. */
const CLOSE_TIMEOUT_MS = 500;

/** A mail server on this machine that keeps what it is given. */
export class MailServer {
  /** `smtp://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** The certificate to trust for STARTTLS, PEM. */
  readonly ca: string;
  readonly #server: SMTPServer;
  readonly #mails: Arrivals<Mail>;
  readonly #refusals: Map<string, number>;

  /** Starts one on a free port of the loopback address. */
  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const { key, cert } = makeCertificate([LOOPBACK]);
    const mails = new Arrivals<Mail>("mails");
    const refusals = new Map<string, number>();
    const { security = "plain", login } = options;
    const server = new SMTPServer({
      key,
      cert,
      size: MAX_MAIL_BYTES,
      closeTimeout: CLOSE_TIMEOUT_MS,
      disableReverseLookup: true,
      disabledCommands: [
        ...(security === "plain" ? ["STARTTLS"] : []),
        ...(login === undefined ? ["AUTH"] : []),
      ],
      allowInsecureAuth: security === "plain",
      authOptional: login === undefined,
      ...receiveInto(mails, refusals),
      ...admit(login),
    });
    // A client that breaks off is what some tests are about.
    server.on("error", () => undefined);
    const port = await listen(server.server);
    return new MailServer({ server, port, ca: cert }, { mails, refusals });
  }

  private constructor(
    at: { readonly server: SMTPServer; readonly port: number; readonly ca: string },
    state: { readonly mails: Arrivals<Mail>; readonly refusals: Map<string, number> },
  ) {
    this.url = `smtp://${LOOPBACK}:${at.port}`;
    this.port = at.port;
    this.ca = at.ca;
    this.#server = at.server;
    this.#mails = state.mails;
    this.#refusals = state.refusals;
  }

  /** Every mail so far, in the order of arrival. */
  get all(): readonly Mail[] {
    return this.#mails.all;
  }

  /** Resolves with the next mail that was not handed out yet; rejects when time is up. */
  async next(options: WaitOptions = {}): Promise<Mail> {
    return this.#mails.next(options);
  }

  /** Resolves with every mail so far once there are `count`; rejects when time is up. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly Mail[]> {
    return this.#mails.received(count, options);
  }

  /** From now on answers RCPT TO for this address with a status: 550 for good, 451 for a while. */
  refuse(recipient: string, status = 550): void {
    this.#refusals.set(recipient, status);
  }

  /** Takes mail for this address again. */
  accept(recipient: string): void {
    this.#refusals.delete(recipient);
  }

  /** Stops the server and cuts every connection; safe to repeat. */
  async close(): Promise<void> {
    for (const connection of this.#server.connections) connection.close();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}

function receiveInto(
  mails: Arrivals<Mail>,
  refusals: ReadonlyMap<string, number>,
): SMTPServerOptions {
  return {
    onRcptTo({ address }: SMTPServerAddress, _session, callback) {
      const status = refusals.get(address);
      callback(status === undefined ? null : refusal(status, "The recipient is refused."));
    },
    onData(stream, session, callback) {
      callbackify(readMail)(stream, session, (error, mail) => {
        if (!error) mails.add(mail);
        callback(error);
      });
    },
  };
}

function admit(login: MailServerOptions["login"]): SMTPServerOptions {
  if (login === undefined) return {};
  return {
    onAuth({ username, password }: SMTPServerAuthentication, _session, callback) {
      const isKnown = username === login.user && password === login.password;
      if (isKnown) callback(null, { user: login.user });
      else callback(refusal(535, "The login is wrong."));
    },
  };
}

async function readMail(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Mail> {
  const raw = await text(stream);
  const { mailFrom, rcptTo } = session.envelope;
  return {
    from: mailFrom === false ? "" : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    subject: subjectOf(raw),
    text: plainTextOf(raw),
    raw,
    user: session.user ?? null,
    isEncrypted: session.secure,
  };
}

/** smtp-server answers with the `responseCode` of an error. */
function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
