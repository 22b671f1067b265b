import { isIP } from "node:net";
import { isLocalName } from "./local-name.ts";

export type SubjectVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string };

/** Returns the URI of a mail address (RFC 6068 section 2), with the characters escaped that mean something in a URI. */
export function mailtoOf(email: string): string {
  return `mailto:${encodeURI(email).replaceAll(/[/?#&]/g, encodeURIComponent)}`;
}

/**
 * Returns whether Apple's push service accepts this VAPID subject, and why not. Other services accept almost anything. Apple
 * answers 403 `BadJwtToken` to a subject that is no real address, and then no iPhone is reached.
 */
export function checkSubjectForApple(subject: string | null): SubjectVerdict {
  if (subject === null) return refuse("It is missing.");
  if (subject.startsWith("mailto:")) return checkMail(subject.slice("mailto:".length));
  const url = URL.canParse(subject) ? new URL(subject) : null;
  if (url === null || url.protocol !== "https:") {
    return refuse("It is neither a mailto: address nor an https: URL.");
  }
  return checkHost(url.hostname);
}

function checkMail(address: string): SubjectVerdict {
  const parts = /^[^\s<>@]+@(?<host>[^\s<>@]+)$/u.exec(address);
  if (parts === null) {
    return refuse("After mailto: a bare address must follow, without spaces or angle brackets.");
  }
  return checkHost((parts.groups?.["host"] ?? "").toLowerCase());
}

function checkHost(hostname: string): SubjectVerdict {
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return refuse("Its host is an IP address.");
  if (isLocalName(hostname)) return refuse(`Its host ${hostname} is not a public name.`);
  return { ok: true };
}

function refuse(message: string): SubjectVerdict {
  return { ok: false, message };
}
