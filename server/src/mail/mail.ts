/** The purpose of a mail. It identifies the mail in logs, which must not contain its recipient or subject. */
export type MailPurpose =
  | "verify_email"
  | "reset_password"
  | "change_email"
  | "account_notice"
  | "device_notice"
  | "token_notice"
  | "invitation"
  | "incident"
  | "incident_summary";

/** A mail to one person with one link. */
export interface Mail {
  readonly purpose: MailPurpose;
  /** One address that `isEmailAddress` accepts. */
  readonly to: string;
  readonly subject: string;
  /** Plain text, including the link. */
  readonly text: string;
  /** The link again, for servers that send no mail. */
  readonly link: string;
}

/** A queued mail. */
export interface QueuedMail extends Mail {
  /** The id is the same for every attempt, so that a duplicate can be recognized by its Message-ID. */
  readonly id: string;
}

/** The outcome of one attempt; `reason` contains no address and no text from the mail server except its codes. */
export type MailOutcome =
  | { readonly kind: "accepted" }
  /** This mail can never be sent. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "retry"; readonly reason: string };

/** Sends one mail, by SMTP or to the log. A refusal by the mail server is a result, never an exception. */
export type SendMail = (mail: QueuedMail, signal: AbortSignal) => Promise<MailOutcome>;

/** The queue for the mails of all rooms. */
export interface MailQueue {
  /** Resolves once the mail is stored. The mail is sent soon afterwards. */
  enqueue(mail: Mail): Promise<void>;
  /** Announces a mail that the caller's own transaction queued, see `insertMailQuery`. */
  wake(): void;
}

/** The accepted email addresses: one address with a domain, without comments, quotes or display name. */
const EMAIL_PATTERN =
  /^[a-z0-9_+'-]+(?:\.[a-z0-9_+'-]+)*(?<!')@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;
/** RFC 5321 section 4.5.3.1: a path of 256 octets, including its angle brackets. */
const EMAIL_MAX_CHARACTERS = 254;
const LOCAL_PART_MAX_CHARACTERS = 64;

/** Returns whether `text` is exactly one email address that this server accepts. */
export function isEmailAddress(text: string): boolean {
  if (text.length > EMAIL_MAX_CHARACTERS) return false;
  return text.lastIndexOf("@") <= LOCAL_PART_MAX_CHARACTERS && EMAIL_PATTERN.test(text);
}

/** Returns `text` as a single line, so that it cannot start another header. */
export function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
