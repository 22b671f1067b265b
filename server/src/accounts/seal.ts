/** Encrypts secrets that must be read again, so that a copy of the database alone does not reveal them. */
export interface Seal {
  /** Binds the text to `owner`: it does not open for any other. */
  close(text: string, owner: string): string;
  /** Returns the text; null if it was sealed with another secret or for another owner. */
  open(sealed: string, owner: string): string | null;
}

/** Returns the seal of this server for a purpose; its key is of no use for another. */
export type SealFor = (purpose: "two-factor" | "verification-link") => Seal;
