/** Encrypts secrets that must be readable again, so that a copy of the database does not reveal them. */
export interface Seal {
  /** Encrypts a string for `owner`. It does not open for another owner. */
  close(text: string, owner: string): string;
  /** Decrypts a string; returns null if it was sealed with another secret or for another owner. */
  open(sealed: string, owner: string): string | null;
}

/** Returns this server's seal for a purpose. Its key works only for that purpose. */
export type SealFor = (purpose: "two-factor" | "verification-link") => Seal;
