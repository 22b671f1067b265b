import { isIP } from "node:net";
import { isLocalName } from "../local-name.ts";

/** The push services that this server may send to. */
export interface EndpointPolicy {
  /** `vendors` admits the push services of browser vendors, `open` any public https host. */
  readonly mode: "vendors" | "open";
  /** Further admitted hosts, lower-case: `push.example.org`, or `*.example.org` for all its subdomains. */
  readonly extraHosts: readonly string[];
  /** Origins exempt from every rule about hosts and addresses, in the form of `URL.origin`: `http://127.0.0.1:8089`. */
  readonly allowOrigins: readonly string[];
}

/** The rule that admits a host. Accounts can register any number of hosts and ports, but cannot add rules. */
export interface HostRule {
  /** The rule as written: a host, `*.` and a domain, or an origin; `*` if any host is admitted. */
  readonly name: string;
  readonly admits: "one host" | "hosts of a domain" | "any host";
}

/** The result of checking an endpoint: admitted by a rule, or refused with a message. */
export type EndpointVerdict =
  | {
      readonly ok: true;
      readonly url: URL;
      readonly rule: HostRule;
      /**
       * True if the host is a vendor's or the operator listed it. False if only a device names the host or its port.
       */
      readonly isListedHost: boolean;
    }
  /** `host` is null if the endpoint is not a URL. */
  | { readonly ok: false; readonly host: string | null; readonly message: string };

const VENDOR_HOSTS = [
  "fcm.googleapis.com",
  // Used by Chromium builds without Google's API keys.
  "jmt17.google.com",
  "updates.push.services.mozilla.com",
  "*.push.services.mozilla.com",
  "*.push.apple.com",
  "*.notify.windows.com",
];

const ANY_HOST: HostRule = { name: "*", admits: "any host" };

const ENDPOINT_LENGTH_MAX = 1_000;
/** Printable ASCII without the backslash, so that a URL parser has nothing to strip or rewrite. */
const PLAIN_ASCII_PATTERN = /^[\u0021-\u005b\u005d-\u007e]+$/u;
const USERINFO_PATTERN = /^[^/?#]*\/\/[^/?#]*@/u;

/**
 * Returns whether a policy admits the text of an endpoint. The host's addresses are checked when a connection is
 * opened.
 */
export function checkEndpoint(policy: EndpointPolicy, endpoint: string): EndpointVerdict {
  if (endpoint.length > ENDPOINT_LENGTH_MAX) {
    return createRefusal(null, `The endpoint is longer than ${ENDPOINT_LENGTH_MAX} characters.`);
  }
  if (!PLAIN_ASCII_PATTERN.test(endpoint) || !URL.canParse(endpoint)) {
    return createRefusal(null, "The endpoint is not an absolute URL.");
  }
  const url = new URL(endpoint);
  if (USERINFO_PATTERN.test(endpoint))
    return createRefusal(url.host, "The endpoint contains a user name.");
  if (endpoint.includes("#")) return createRefusal(url.host, "The endpoint contains a fragment.");
  if (policy.allowOrigins.includes(url.origin)) {
    return { ok: true, url, rule: { name: url.origin, admits: "one host" }, isListedHost: true };
  }
  return checkHost(policy, url);
}

/**
 * Returns whether a vendor or the operator listed a host, with its port if it has one; false if only a device uses it.
 */
export function isListedHost(policy: EndpointPolicy, host: string): boolean {
  const result = checkEndpoint(policy, `https://${host}/`);
  // An endpoint that is not admitted as https is exempt by its origin, or an earlier configuration admitted it.
  return policy.mode !== "open" || !result.ok || result.isListedHost;
}

function checkHost(policy: EndpointPolicy, url: URL): EndpointVerdict {
  const { hostname, host } = url;
  if (url.protocol !== "https:") return createRefusal(host, "The endpoint is not an https URL.");
  // The parser has already normalised 2130706433, 0x7f.1 and 127.1 to 127.0.0.1.
  if (hostname.startsWith("[") || isIP(hostname) !== 0) {
    return createRefusal(host, "The endpoint's host is an IP address.");
  }
  if (isLocalName(hostname))
    return createRefusal(host, "The endpoint's host is not a public name.");
  if (policy.mode !== "open" && url.port !== "") {
    return createRefusal(host, "The endpoint's port is not 443.");
  }
  const rule = url.port === "" ? findRule(policy, hostname) : null;
  if (policy.mode !== "open" && rule === null) {
    return createRefusal(host, `The push service ${host} is not allowed by this server.`);
  }
  return { ok: true, url, rule: rule ?? ANY_HOST, isListedHost: rule !== null };
}

/** Returns the narrowest rule, so that a listed host does not share a limit with the rest of its domain. */
function findRule({ extraHosts }: EndpointPolicy, hostname: string): HostRule | null {
  const names = [...VENDOR_HOSTS, ...extraHosts];
  if (names.includes(hostname)) return { name: hostname, admits: "one host" };
  const domain = names
    .filter((name) => name.startsWith("*.") && hostname.endsWith(name.slice(1)))
    .reduce((longest, name) => (name.length > longest.length ? name : longest), "");
  return domain === "" ? null : { name: domain, admits: "hosts of a domain" };
}

function createRefusal(host: string | null, message: string): EndpointVerdict {
  return { ok: false, host, message };
}
