import { ok, warn, type Verdict } from "#doctor/finding.ts";

/** The address under which a request arrived. */
export interface Arrival {
  readonly baseUrl: string;
  /** As the server understands it, with the headers of trusted proxies. */
  readonly protocol: string;
  readonly host: string;
  readonly isProxyTrusted: boolean;
  /** The value of X-Forwarded-Proto, trusted or not; null if absent. */
  readonly forwardedProtocol: string | null;
}

/** Returns whether people use the address that the server is configured with. */
export function judgeArrival(arrival: Arrival): Verdict {
  const { baseUrl, protocol, host, isProxyTrusted, forwardedProtocol } = arrival;
  const seen = `${protocol}://${host}`;
  if (forwardedProtocol !== null && !isProxyTrusted) {
    return warn(
      "A proxy stands in front of this server, and is not believed: all visitors look like one, and share its limits.",
      "Set TOCSIN_TRUST_PROXY to the proxy's address, such as 127.0.0.1 or 10.0.0.0/8.",
    );
  }
  if (seen === baseUrl) return ok(`You opened Tocsin at ${baseUrl}, as links and sign-in expect.`);
  if (new URL(baseUrl).host === host) {
    return warn(
      `You opened Tocsin at ${seen}, but TOCSIN_BASE_URL says ${baseUrl}.`,
      "Let the proxy send X-Forwarded-Proto, and set TOCSIN_TRUST_PROXY to its address.",
    );
  }
  return warn(
    `You opened Tocsin at ${seen}, but links that this server makes lead to ${baseUrl}.`,
    `If people should use ${seen}, set TOCSIN_BASE_URL to it.`,
  );
}
