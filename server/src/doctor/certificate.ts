import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { describeFault, faultOf, type ConnectionFault } from "./connection-fault.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";
import { DAY_MS } from "#schema/moment.ts";

/** The origin whose certificate is checked, and the clock. */
export interface CertificateQuestion {
  /** An https origin. */
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Certificate authorities in PEM, instead of those that Node ships. */
  readonly ca?: string | undefined;
}

const LOOK_TIMEOUT_MS = 5_000;
/** Certificates of a public authority are renewed a month before they end. */
const SOON_DAYS = 14;

/** Checks the certificate that the base URL's host presents. */
export async function checkCertificate(question: CertificateQuestion): Promise<Verdict> {
  const url = new URL(question.baseUrl);
  const seen = await look(url, question.ca);
  if (seen.kind === "nothing") return explainNothing(url, seen.fault);
  return judge(seen, { hostname: url.hostname, now: question.now() });
}

type Seen =
  | {
      readonly kind: "certificate";
      /** Milliseconds since the epoch. */
      readonly endsAt: number;
      readonly names: string;
      /** The error code of OpenSSL or Node; null if the certificate is trusted. */
      readonly error: string | null;
    }
  | { readonly kind: "nothing"; readonly fault: ConnectionFault };

async function look(url: URL, ca: string | undefined): Promise<Seen> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const { promise, resolve } = Promise.withResolvers<Seen>();
  const socket = connect({
    host,
    port: Number(url.port || 443),
    // An IP address cannot be a server name (RFC 6066 section 3).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    // Accepts a bad certificate in order to read it; sends nothing.
    rejectUnauthorized: false,
  });
  socket.once("secureConnect", () => resolve(read(socket)));
  socket.on("error", (error) => resolve({ kind: "nothing", fault: faultOf(error) }));
  const timer = setTimeout(() => {
    resolve({ kind: "nothing", fault: { kind: "silent", code: null } });
  }, LOOK_TIMEOUT_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

function read(socket: TLSSocket): Seen {
  const { valid_to: validTo, subjectaltname = "" } = socket.getPeerCertificate();
  // Typed as an Error, but Node sets the code as text.
  const error: unknown = socket.authorizationError;
  return {
    kind: "certificate",
    endsAt: Date.parse(validTo),
    names: subjectaltname.replaceAll(/DNS:|IP Address:/g, ""),
    error: socket.authorized ? null : String(error),
  };
}

type Certificate = Extract<Seen, { readonly kind: "certificate" }>;

interface CertificateContext {
  readonly hostname: string;
  readonly now: number;
}

function judge(certificate: Certificate, circumstances: CertificateContext): Verdict {
  if (certificate.error !== null) {
    return explainError(certificate.error, { ...certificate, ...circumstances });
  }
  const { hostname, now } = circumstances;
  const daysLeft = Math.floor((certificate.endsAt - now) / DAY_MS);
  const end = `until ${dayOf(certificate.endsAt)} (${count(daysLeft, "day")} left)`;
  if (daysLeft >= SOON_DAYS) return ok(`The certificate of ${hostname} is good ${end}.`);
  return warn(
    `The certificate of ${hostname} is good only ${end}.`,
    "Renew it, and find out why it was not renewed automatically.",
  );
}

function explainError(error: string, of: Certificate & CertificateContext): Verdict {
  const { endsAt, names, hostname, now } = of;
  switch (error) {
    case "CERT_HAS_EXPIRED":
      return fail(
        endsAt < now
          ? `The certificate of ${hostname} expired on ${dayOf(endsAt)}.`
          : `A certificate above that of ${hostname} has expired, or this machine's clock is wrong.`,
        "Renew the certificate with its chain, and reload what serves it.",
      );
    case "CERT_NOT_YET_VALID":
      return fail(
        `The certificate of ${hostname} is not valid yet.`,
        "Set the clock of this machine, or wait until the certificate begins.",
      );
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return fail(
        `The certificate is not for ${hostname} but for ${names.slice(0, NAMES_MAX) || "nobody"}.`,
        `Get one for ${hostname}, or correct TOCSIN_BASE_URL.`,
      );
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return fail(
        `The certificate of ${hostname} comes without its chain, or from an unknown authority.`,
        "Let the proxy send the full chain (fullchain.pem) of a public authority.",
      );
    default:
      return fail(
        `The certificate of ${hostname} is not trusted (${error}).`,
        "Get one from a public authority, such as Let's Encrypt: phones trust no others.",
      );
  }
}

const NAMES_MAX = 200;

function explainNothing({ host }: URL, fault: ConnectionFault): Verdict {
  const message = `No certificate was received: ${host} ${describeFault(fault)}.`;
  if (fault.kind === "tls") {
    return fail(message, "Give the proxy a certificate for TLS, or correct TOCSIN_BASE_URL.");
  }
  return warn(message, `Start what serves ${host}, then run tocsin doctor again.`);
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
