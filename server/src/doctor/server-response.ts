import { Agent } from "undici";
import type { Config } from "#config/config.ts";
import { probe, type ProbeResult } from "./probe.ts";
import { describeFault, type ConnectionFault } from "./connection-fault.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

/** The public URL and the listening address of a server. */
export interface ServerCheckOptions {
  readonly config: Pick<Config, "baseUrl" | "host" | "port">;
  /** Certificate authorities in PEM; by default Node's own. */
  readonly ca?: string | undefined;
}

/** Checks whether a Tocsin server answers at the base URL. */
export async function checkServerResponse(options: ServerCheckOptions): Promise<Verdict> {
  const { config, ca } = options;
  const dispatcher = new Agent({
    connections: 1,
    connect: { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
  });
  try {
    const result = await probe(dispatcher, new URL("/healthz", config.baseUrl));
    return result.kind === "answered"
      ? assessResponse(result, options)
      : explainFault(result.fault, options);
  } finally {
    await dispatcher.destroy();
  }
}

function assessResponse(
  { status, headers, body }: Answered,
  { config }: ServerCheckOptions,
): Verdict {
  const { baseUrl, host, port } = config;
  if (status === 200 && isHealthy(body)) return ok(`A Tocsin server answers at ${baseUrl}.`);
  const upstream = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (BAD_GATEWAY_STATUSES.has(status)) {
    return warn(
      `A proxy answers at ${baseUrl} with ${status}: it does not reach the server.`,
      `Start the server, and let the proxy pass requests on to ${upstream}.`,
    );
  }
  const target = findRedirectOrigin(headers["location"], baseUrl);
  if (status >= 300 && status < 400 && target !== null) {
    return fail(
      `${baseUrl} redirects to ${target}, where links and sign-in do not work.`,
      `Set TOCSIN_BASE_URL to ${target}, or remove the redirect.`,
    );
  }
  return fail(
    `Something other than a Tocsin server answers at ${baseUrl} (status ${status}).`,
    `Let the proxy pass requests on to ${upstream} unchanged, or correct TOCSIN_BASE_URL.`,
  );
}

type Answered = Extract<ProbeResult, { readonly kind: "answered" }>;

/** The statuses that a proxy sends for an unreachable server. */
const BAD_GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

function explainFault(
  fault: ConnectionFault,
  { config: { baseUrl } }: ServerCheckOptions,
): Verdict {
  const { host, hostname } = new URL(baseUrl);
  const message = `No server answers at ${baseUrl} yet: ${host} ${describeFault(fault)}.`;
  switch (fault.kind) {
    case "unknown name":
      return warn(message, `Make a DNS record for ${hostname}, or correct TOCSIN_BASE_URL.`);
    case "tls":
      return warn(message, "Fix the certificate first, then run tocsin doctor again.");
    case "refused":
    case "silent":
    case "broken":
    case "not public":
      return warn(message, "Start the server, or fix the proxy in front of it.");
  }
}

function isHealthy(body: string): boolean {
  try {
    const document: unknown = JSON.parse(body);
    return (
      typeof document === "object" &&
      document !== null &&
      "status" in document &&
      document.status === "ok"
    );
  } catch {
    return false;
  }
}

/** Returns the origin of a redirect to another origin; otherwise null. */
function findRedirectOrigin(
  location: string | string[] | undefined,
  baseUrl: string,
): string | null {
  if (typeof location !== "string" || !URL.canParse(location, baseUrl)) return null;
  const { origin } = new URL(location, baseUrl);
  return origin === baseUrl || origin === "null" ? null : origin;
}
