import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { describeFault, classifyError, type ConnectionFault } from "./connection-fault.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";
import { DAY_MS } from "#schema/timestamp.ts";

/** The server whose certificate is checked, the clock, and the trusted authorities. */
export interface CertificateOptions {
  /** An https origin. */
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Certificate authorities in PEM; by default Node's own. */
  readonly ca?: string | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Certificates of public authorities are usually renewed a month before they expire: this late, a renewal failed. */
const EXPIRES_SOON_DAYS = 14;

/** Checks the certificate of the base URL's host. */
export async function checkCertificate(options: CertificateOptions): Promise<Verdict> {
  const url = new URL(options.baseUrl);
  const certificate = await fetchCertificate(url, options.ca);
  if (certificate.kind === "missing") return explainMissingCertificate(url, certificate.fault);
  return assessCertificate(certificate, { hostname: url.hostname, now: options.now() });
}

/** The certificate that a server presents, or the reason that there is none. */
type PresentedCertificate =
  | {
      readonly kind: "certificate";
      /** Milliseconds since the epoch. */
      readonly endsAt: number;
      readonly names: string;
      /** The error code of OpenSSL or Node; null if the certificate is trusted. */
      readonly error: string | null;
    }
  | { readonly kind: "missing"; readonly fault: ConnectionFault };

async function fetchCertificate(url: URL, ca: string | undefined): Promise<PresentedCertificate> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const { promise, resolve } = Promise.withResolvers<PresentedCertificate>();
  const socket = connect({
    host,
    port: Number(url.port || 443),
    // An IP address is not allowed as a server name (RFC 6066 section 3).
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    // Accepts an invalid certificate in order to read it. No data is sent.
    rejectUnauthorized: false,
  });
  socket.once("secureConnect", () => resolve(readCertificate(socket)));
  socket.on("error", (error) => resolve({ kind: "missing", fault: classifyError(error) }));
  const timer = setTimeout(() => {
    resolve({ kind: "missing", fault: { kind: "silent", code: null } });
  }, CONNECT_TIMEOUT_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

function readCertificate(socket: TLSSocket): PresentedCertificate {
  const { valid_to: validTo, subjectaltname = "" } = socket.getPeerCertificate();
  // The type is Error, but Node sets the error code as a string.
  const error: unknown = socket.authorizationError;
  return {
    kind: "certificate",
    endsAt: Date.parse(validTo),
    names: subjectaltname.replaceAll(/DNS:|IP Address:/g, ""),
    error: socket.authorized ? null : String(error),
  };
}

type Certificate = Extract<PresentedCertificate, { readonly kind: "certificate" }>;

/** The host name that the certificate must cover, and the current time in milliseconds since the epoch. */
interface AssessmentContext {
  readonly hostname: string;
  readonly now: number;
}

function assessCertificate(certificate: Certificate, context: AssessmentContext): Verdict {
  if (certificate.error !== null) {
    return explainCertificateError(certificate.error, { ...certificate, ...context });
  }
  const { hostname, now } = context;
  const remainingDays = Math.floor((certificate.endsAt - now) / DAY_MS);
  const validity = `until ${formatDay(certificate.endsAt)} (${formatCount(remainingDays, "day")} left)`;
  if (remainingDays >= EXPIRES_SOON_DAYS)
    return ok(`The certificate of ${hostname} is good ${validity}.`);
  return warn(
    `The certificate of ${hostname} is good only ${validity}.`,
    "Renew it, and find out why it was not renewed automatically.",
  );
}

function explainCertificateError(error: string, details: Certificate & AssessmentContext): Verdict {
  const { endsAt, names, hostname, now } = details;
  switch (error) {
    case "CERT_HAS_EXPIRED":
      return fail(
        endsAt < now
          ? `The certificate of ${hostname} expired on ${formatDay(endsAt)}.`
          : `A certificate in the chain of ${hostname} has expired, or this machine's clock is wrong.`,
        "Renew the certificate with its chain, and reload the server that presents it.",
      );
    case "CERT_NOT_YET_VALID":
      return fail(
        `The certificate of ${hostname} is not valid yet.`,
        "Set the clock of this machine, or wait until the certificate becomes valid.",
      );
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return fail(
        `The certificate is not for ${hostname} but for ${names.slice(0, NAMES_MAX_CHARACTERS) || "nobody"}.`,
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

const NAMES_MAX_CHARACTERS = 200;

function explainMissingCertificate({ host }: URL, fault: ConnectionFault): Verdict {
  const message = `No certificate was received: ${host} ${describeFault(fault)}.`;
  if (fault.kind === "tls") {
    return fail(message, "Give the proxy a certificate for TLS, or correct TOCSIN_BASE_URL.");
  }
  return warn(message, `Start the server or proxy of ${host}, then run tocsin doctor again.`);
}

function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
