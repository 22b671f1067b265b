import { isIP } from "node:net";
import { isDeniedAddress } from "#providers/denied-address.ts";
import { isLocalName } from "#providers/local-name.ts";
import { ok, warn, type Verdict } from "./finding.ts";

/** Returns the verdict on a base URL: ok for a public https address. Does not connect to it. */
export function assessBaseUrl(baseUrl: string): Verdict {
  const { protocol, hostname } = new URL(baseUrl);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isLoopback(host)) {
    return warn(
      `${baseUrl} works only on this machine: good enough to try Tocsin, but no other machine can reach it, including iPhones.`,
      SET_PUBLIC_URL,
    );
  }
  if (protocol === "http:") {
    return warn(
      `${baseUrl} is not encrypted: others on the network can read passwords and keys, and browsers refuse push there.`,
      SET_PUBLIC_URL,
    );
  }
  if (isIP(host) === 0 ? isLocalName(host) : isDeniedAddress(host)) {
    return warn(
      `${baseUrl} cannot be reached from the internet: phones outside your network cannot use it.`,
      SET_PUBLIC_URL,
    );
  }
  return ok(`${baseUrl} is a public https address.`);
}

const SET_PUBLIC_URL =
  "Set TOCSIN_BASE_URL to a public https address, such as https://push.example.org.";

function isLoopback(host: string): boolean {
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "::1" || host.startsWith("127.")
  );
}
