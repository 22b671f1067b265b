import { Agent } from "undici";
import type { Config } from "#config/config.ts";
import { ask, type AskResult } from "./ask.ts";
import { describeFault, type ConnectionFault } from "./connection-fault.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

/** The address where a server should answer, and its own listening address. */
export interface Way {
  readonly config: Pick<Config, "baseUrl" | "host" | "port">;
  /** Certificate authorities in PEM, instead of those that Node ships. */
  readonly ca?: string | undefined;
}

/** Checks whether a Tocsin server answers at the base URL. */
export async function checkServerAnswer(way: Way): Promise<Verdict> {
  const { config, ca } = way;
  const dispatcher = new Agent({
    connections: 1,
    connect: { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
  });
  try {
    const asked = await ask(dispatcher, new URL("/healthz", config.baseUrl));
    return asked.kind === "answered" ? judge(asked, way) : explain(asked.fault, way);
  } finally {
    await dispatcher.destroy();
  }
}

function judge({ status, headers, body }: Answered, { config }: Way): Verdict {
  const { baseUrl, host, port } = config;
  if (status === 200 && isHealthy(body)) return ok(`A Tocsin server answers at ${baseUrl}.`);
  const upstream = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (PROXY_ALONE.has(status)) {
    return warn(
      `A proxy answers at ${baseUrl} with ${status}: it does not reach the server.`,
      `Start the server, and let the proxy pass requests on to ${upstream}.`,
    );
  }
  const elsewhere = redirection(headers["location"], baseUrl);
  if (status >= 300 && status < 400 && elsewhere !== null) {
    return fail(
      `${baseUrl} leads on to ${elsewhere}, where links and sign-in do not fit.`,
      `Set TOCSIN_BASE_URL to ${elsewhere}, or take the redirect away.`,
    );
  }
  return fail(
    `Something other than a Tocsin server answers at ${baseUrl} (status ${status}).`,
    `Let the proxy pass requests on to ${upstream} unchanged, or correct TOCSIN_BASE_URL.`,
  );
}

type Answered = Extract<AskResult, { readonly kind: "answered" }>;

/** A proxy's statuses for an unreachable server. */
const PROXY_ALONE: ReadonlySet<number> = new Set([502, 503, 504]);

function explain(fault: ConnectionFault, { config: { baseUrl } }: Way): Verdict {
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
    const answer: unknown = JSON.parse(body);
    return (
      typeof answer === "object" && answer !== null && "status" in answer && answer.status === "ok"
    );
  } catch {
    return false;
  }
}

/** Returns the origin that a redirect leads to, if it is another one, or null. */
function redirection(location: string | string[] | undefined, baseUrl: string): string | null {
  if (typeof location !== "string" || !URL.canParse(location, baseUrl)) return null;
  const { origin } = new URL(location, baseUrl);
  return origin === baseUrl || origin === "null" ? null : origin;
}
