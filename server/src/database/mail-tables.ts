/** A mail that is still owed; the row goes when the mail server has taken it. */
export interface MailMessageTable {
  id: string;
  purpose:
    | "verify_email"
    | "reset_password"
    | "change_email"
    | "account_notice"
    | "device_notice"
    | "token_notice"
    | "invitation";
  recipient: string;
  subject: string;
  /** Sealed by `RowSeal`, where the server's secrets are. */
  text: string;
  /** The link in the text, for servers that send no mail; sealed like it. */
  link: string;
  created_at: number;
  run_at: number;
  attempts: number;
  /** How long after `created_at` the first attempt is, in milliseconds; until then it may be rewritten. */
  held_ms: number;
}

/** An address whose owner wants no invitation mails; it outlives the account that has it. */
export interface MailRefusalTable {
  /** SHA-256, hexadecimal, of the address in lower case. */
  address_hash: string;
  refused_at: number;
}
