/** The purpose of a mail; it identifies the mail in logs, which must not contain its recipient or subject. */
export type MailPurpose =
  | "verify_email"
  | "reset_password"
  | "change_email"
  | "account_notice"
  | "device_notice"
  | "token_notice"
  | "invitation";

/** A mail to one person with one link. */
export interface Mail {
  readonly purpose: MailPurpose;
  /** One address, as `isEmailAddress` accepts it. */
  readonly to: string;
  readonly subject: string;
  /** Plain text, including the link. */
  readonly text: string;
  /** The link again, for servers that send no mail. */
  readonly link: string;
}

/** A queued mail. */
export interface OwedMail extends Mail {
  /** The same at every attempt, so that a duplicate can be recognized by its Message-ID. */
  readonly id: string;
}

/** The outcome of one attempt to send; `reason` contains only codes, no address and no text of the mail server. */
export type MailOutcome =
  | { readonly kind: "taken" }
  /** This mail can never be sent. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "retry"; readonly reason: string };

/** Sends one mail, by SMTP or to the log; an answer of the mail server is a value, never an exception. */
export type SendMail = (mail: OwedMail, signal: AbortSignal) => Promise<MailOutcome>;

/** The queue for the mails of all rooms. */
export interface MailQueue {
  /** Resolves once the mail is stored; it is sent soon after. */
  enqueue(mail: Mail): Promise<void>;
  /** Announces a mail that the caller's own transaction queued, see `mailInsert`. */
  wake(): void;
}

/**
 * The addresses that can sign in: one address with a domain, without
 * comments, quotes or display name.
 */
const ADDRESS =
  /^[a-z0-9_+'-]+(?:\.[a-z0-9_+'-]+)*(?<!')@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;
/** RFC 5321 section 4.5.3.1: 256 octets of path, including its angle brackets. */
const ADDRESS_MAX_CHARACTERS = 254;
const LOCAL_PART_MAX_CHARACTERS = 64;

/** Returns whether `text` is exactly one deliverable e-mail address. */
export function isEmailAddress(text: string): boolean {
  if (text.length > ADDRESS_MAX_CHARACTERS) return false;
  return text.lastIndexOf("@") <= LOCAL_PART_MAX_CHARACTERS && ADDRESS.test(text);
}

/** Returns `text` on one line, so that it cannot start a header of its own. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
