import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { describeFault, faultOf, type ConnectionFault } from "./connection-fault.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";
import { DAY_MS } from "#schema/moment.ts";

/** The origin with the certificate to check, and the clock. */
export interface CertificateOptions {
  /** An https origin. */
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Certificate authorities in PEM; by default Node's own. */
  readonly ca?: string | undefined;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Certificates of public authorities are usually renewed a month before they expire. */
const EXPIRES_SOON_DAYS = 14;

/** Checks the certificate of the base URL's host. */
export async function checkCertificate(options: CertificateOptions): Promise<Verdict> {
  const url = new URL(options.baseUrl);
  const presented = await fetchCertificate(url, options.ca);
  if (presented.kind === "nothing") return explainMissing(url, presented.fault);
  return assess(presented, { hostname: url.hostname, now: options.now() });
}

type Presented =
  | {
      readonly kind: "certificate";
      /** Milliseconds since the epoch. */
      readonly endsAt: number;
      readonly names: string;
      /** The error code of OpenSSL or Node; null if the certificate is trusted. */
      readonly error: string | null;
    }
  | { readonly kind: "nothing"; readonly fault: ConnectionFault };

async function fetchCertificate(url: URL, ca: string | undefined): Promise<Presented> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const { promise, resolve } = Promise.withResolvers<Presented>();
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
  socket.on("error", (error) => resolve({ kind: "nothing", fault: faultOf(error) }));
  const timer = setTimeout(() => {
    resolve({ kind: "nothing", fault: { kind: "silent", code: null } });
  }, CONNECT_TIMEOUT_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

function readCertificate(socket: TLSSocket): Presented {
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

type Certificate = Extract<Presented, { readonly kind: "certificate" }>;

interface CertificateContext {
  readonly hostname: string;
  readonly now: number;
}

function assess(certificate: Certificate, context: CertificateContext): Verdict {
  if (certificate.error !== null) {
    return explainError(certificate.error, { ...certificate, ...context });
  }
  const { hostname, now } = context;
  const daysLeft = Math.floor((certificate.endsAt - now) / DAY_MS);
  const end = `until ${formatDay(certificate.endsAt)} (${formatCount(daysLeft, "day")} left)`;
  if (daysLeft >= EXPIRES_SOON_DAYS) return ok(`The certificate of ${hostname} is good ${end}.`);
  return warn(
    `The certificate of ${hostname} is good only ${end}.`,
    "Renew it, and find out why it was not renewed automatically.",
  );
}

function explainError(error: string, details: Certificate & CertificateContext): Verdict {
  const { endsAt, names, hostname, now } = details;
  switch (error) {
    case "CERT_HAS_EXPIRED":
      return fail(
        endsAt < now
          ? `The certificate of ${hostname} expired on ${formatDay(endsAt)}.`
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

function explainMissing({ host }: URL, fault: ConnectionFault): Verdict {
  const message = `No certificate was received: ${host} ${describeFault(fault)}.`;
  if (fault.kind === "tls") {
    return fail(message, "Give the proxy a certificate for TLS, or correct TOCSIN_BASE_URL.");
  }
  return warn(message, `Start what serves ${host}, then run tocsin doctor again.`);
}

function formatDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
