import { ok, warn, type Verdict } from "#doctor/finding.ts";

/** The configured URL of the server, and the facts about one request that are compared with it. */
export interface RequestUrlFacts {
  readonly baseUrl: string;
  /** `http` or `https`. The headers of a trusted proxy determine `protocol` and `host`. */
  readonly protocol: string;
  readonly host: string;
  readonly isProxyTrusted: boolean;
  /** Value of the header X-Forwarded-Proto, trusted or not; null if the request has none. */
  readonly forwardedProtocol: string | null;
}

/** Checks whether a request was sent to the configured URL of the server. */
export function checkRequestUrl(facts: RequestUrlFacts): Verdict {
  const { baseUrl, protocol, host, isProxyTrusted, forwardedProtocol } = facts;
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
