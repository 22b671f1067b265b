import { ok, warn, type Verdict } from "#doctor/finding.ts";

/** The URL that a request was sent to, and the facts that explain it. */
export interface RequestAddress {
  readonly baseUrl: string;
  /** As given by the headers of trusted proxies, like `host`. */
  readonly protocol: string;
  readonly host: string;
  readonly isProxyTrusted: boolean;
  /** Value of X-Forwarded-Proto, trusted or not; null if absent. */
  readonly forwardedProtocol: string | null;
}

/** Returns the verdict on whether a request was sent to the configured URL of the server. */
export function checkRequestAddress(requestAddress: RequestAddress): Verdict {
  const { baseUrl, protocol, host, isProxyTrusted, forwardedProtocol } = requestAddress;
  const actualUrl = `${protocol}://${host}`;
  if (forwardedProtocol !== null && !isProxyTrusted) {
    return warn(
      "There is a proxy in front of this server, but it is not trusted: all visitors look like one and share its rate limits.",
      "Set TOCSIN_TRUST_PROXY to the proxy's address, such as 127.0.0.1 or 10.0.0.0/8.",
    );
  }
  if (actualUrl === baseUrl)
    return ok(`You opened Tocsin at ${baseUrl}, as links and sign-in expect.`);
  if (new URL(baseUrl).host === host) {
    return warn(
      `You opened Tocsin at ${actualUrl}, but TOCSIN_BASE_URL is ${baseUrl}.`,
      "Let the proxy send X-Forwarded-Proto, and set TOCSIN_TRUST_PROXY to its address.",
    );
  }
  return warn(
    `You opened Tocsin at ${actualUrl}, but links from this server lead to ${baseUrl}.`,
    `If people should use ${actualUrl}, set TOCSIN_BASE_URL to it.`,
  );
}
