/** An email in the outbox. The row is deleted when the mail server has accepted the email. */
export interface MailMessageTable {
  id: string;
  purpose:
    | "verify_email"
    | "reset_password"
    | "change_email"
    | "account_notice"
    | "device_notice"
    | "token_notice"
    | "invitation"
    | "incident"
    | "incident_summary";
  recipient: string;
  subject: string;
  /** Sealed by `RowSeal` if the server's secrets are. */
  text: string;
  /** The link in the text, for servers without a mail server. Sealed like the text. */
  link: string;
  created_at: number;
  run_at: number;
  attempts: number;
  /** Delay of the first attempt after `created_at`, in milliseconds. Until then the email may be rewritten. */
  held_ms: number;
}

/** The alarms of a person in an hour, for the limit on their emails. */
export interface AlarmMailHourTable {
  account_id: string;
  starts_at: number;
  /** All alarms, also those without an email of their own. */
  alarm_count: number;
  /** Alarms without an email of their own that a summary email has counted. */
  told_count: number;
}

/** An email address whose owner refuses invitation emails. The row outlives the account with that address. */
export interface MailRefusalTable {
  /** SHA-256, hexadecimal, of the address in lower case. */
  address_hash: string;
  refused_at: number;
}
