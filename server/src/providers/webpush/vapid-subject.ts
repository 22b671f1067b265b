import { isIP } from "node:net";
import { isLocalName } from "../local-name.ts";

/** The result of checking a VAPID subject: accepted, or the reason why not. */
export type SubjectVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string };

/** Returns the `mailto:` URI of an email address (RFC 6068 section 2), with / ? # & escaped as well. */
export function toMailtoUri(email: string): string {
  return `mailto:${encodeURI(email).replaceAll(/[/?#&]/g, encodeURIComponent)}`;
}

/**
 * Returns whether Apple's push service accepts a VAPID subject, and the reason if not. Other services accept almost
 * anything. Apple answers 403 `BadJwtToken` if the subject is not a real address, so no iPhone can be reached.
 */
export function checkSubjectForApple(subject: string | null): SubjectVerdict {
  if (subject === null) return createRefusal("It is missing.");
  if (subject.startsWith("mailto:")) return checkEmail(subject.slice("mailto:".length));
  const url = URL.canParse(subject) ? new URL(subject) : null;
  if (url === null || url.protocol !== "https:") {
    return createRefusal("It is neither a mailto: address nor an https: URL.");
  }
  return checkHost(url.hostname);
}

function checkEmail(email: string): SubjectVerdict {
  const match = /^[^\s<>@]+@(?<host>[^\s<>@]+)$/u.exec(email);
  if (match === null) {
    return createRefusal(
      "After mailto: a bare address must follow, without spaces or angle brackets.",
    );
  }
  return checkHost((match.groups?.["host"] ?? "").toLowerCase());
}

function checkHost(hostname: string): SubjectVerdict {
  if (hostname.startsWith("[") || isIP(hostname) !== 0)
    return createRefusal("Its host is an IP address.");
  if (isLocalName(hostname)) return createRefusal(`Its host ${hostname} is not a public name.`);
  return { ok: true };
}

function createRefusal(message: string): SubjectVerdict {
  return { ok: false, message };
}
