import { createHmac, hkdfSync, randomInt } from "node:crypto";

/** Excludes 0, 1, I and O, which are easily confused. Each of the 32 characters encodes five bits. */
const CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/**
 * There are 2^50 codes, each valid once and for ten minutes. If one code is always valid, a thousand guesses per
 * second for a year succeed with a probability of 0.003 %, and need 12,000 networks at the allowed rate. So there is no
 * limit over all networks, which strangers could use up.
 */
const CODE_CHARACTERS = 10;
const CODE_PATTERN = new RegExp(`^[${CODE_ALPHABET}]{${CODE_CHARACTERS}}$`);
const KEY_BYTES = 32;

/** Creates codes that people type, and hashes them. */
export interface PairingCodes {
  /** Returns a new code of ten letters and digits, with 50 random bits. */
  readonly create: () => string;
  /** Returns the stored form of a code, ignoring case, spaces and hyphens; null if the string is not a code. */
  readonly hash: (text: string) => string | null;
}

/** Creates the codes of a server. The hash has a key, because 50 bits could be guessed from a copy of the database. */
export function createPairingCodes(secret: string): PairingCodes {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "tocsin pairing-code", KEY_BYTES));
  return {
    create: () =>
      Array.from(
        { length: CODE_CHARACTERS },
        () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)],
      ).join(""),
    hash: (text) => {
      const code = text.toUpperCase().replaceAll(/[\s-]/g, "");
      return CODE_PATTERN.test(code) ? createHmac("sha256", key).update(code).digest("hex") : null;
    },
  };
}
