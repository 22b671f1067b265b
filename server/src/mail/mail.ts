/** What a mail is for; it names the mail in logs, where its recipient and subject must not stand. */
export type MailPurpose =
  | "verify_email"
  | "reset_password"
  | "change_email"
  | "account_notice"
  | "device_notice"
  | "token_notice"
  | "invitation";

/** A mail to one person that brings one link. */
export interface Mail {
  readonly purpose: MailPurpose;
  /** One address, as `isEmailAddress` takes it. */
  readonly to: string;
  readonly subject: string;
  /** Plain text, the link in it. */
  readonly text: string;
  /** The link once more, for servers that send no mail. */
  readonly link: string;
}

/** A mail that waits to be sent. */
export interface OwedMail extends Mail {
  /** The same at every attempt, so that a mail sent twice can be known by its Message-ID. */
  readonly id: string;
}

/** What became of one attempt to send; `reason` holds codes alone, no address and no words of the far side. */
export type MailOutcome =
  | { readonly kind: "taken" }
  /** This mail can never be sent. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "retry"; readonly reason: string };

/** Hands one mail over, by SMTP or to the log; an answer from the far side is a value, never an exception. */
export type SendMail = (mail: OwedMail, signal: AbortSignal) => Promise<MailOutcome>;

/** Where rooms leave their mails. */
export interface MailQueue {
  /** Resolves once the mail is durably owed; it is sent soon after. */
  enqueue(mail: Mail): Promise<void>;
  /** Says that a mail was owed by a transaction of the caller's own, see `mailInsert`. */
  wake(): void;
}

/**
 * The addresses that can sign in, as the sign-in library has them: one address with a domain, without
 * comments, quotes or display name.
 */
const ADDRESS =
  /^[a-z0-9_+'-]+(?:\.[a-z0-9_+'-]+)*(?<!')@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;
/** RFC 5321 section 4.5.3.1: 256 octets of path, its angle brackets among them. */
const ADDRESS_MAX_CHARACTERS = 254;
const LOCAL_PART_MAX_CHARACTERS = 64;

/** Returns whether `text` is exactly one e-mail address that mail may be sent to. */
export function isEmailAddress(text: string): boolean {
  if (text.length > ADDRESS_MAX_CHARACTERS) return false;
  return text.lastIndexOf("@") <= LOCAL_PART_MAX_CHARACTERS && ADDRESS.test(text);
}

/** Returns `text` on one line, so that it cannot begin a header of its own. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}
