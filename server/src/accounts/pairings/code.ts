import { createHmac, hkdfSync, randomInt } from "node:crypto";

/** Excludes 0, 1, I and O, which are easily confused. 32 characters hold five bits each. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/**
 * 2^50 codes, each valid for ten minutes and once. A thousand guesses every second of a year, which takes 12,000
 * networks at the rate that each of them has, find one with a probability of 0.003 % if one code is open at every
 * moment. So no limit over all networks is needed, which strangers could use up for everybody.
 */
const CODE_CHARACTERS = 10;
const FORM = new RegExp(`^[${ALPHABET}]{${CODE_CHARACTERS}}$`);
const KEY_BYTES = 32;

/** Creates codes that people type, and their stored form. */
export interface Codes {
  /** Returns a new code of ten letters and digits: 50 random bits. */
  readonly create: () => string;
  /** Returns the stored form of a code, however it was typed; null for text that cannot be one. */
  readonly hashOf: (text: string) => string | null;
}

/**
 * Returns the codes of one server. 50 bits are too few for a hash without a key: a copy of the database alone must not
 * reveal them.
 */
export function createCodes(secret: string): Codes {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "tocsin pairing-code", KEY_BYTES));
  return {
    create: () =>
      Array.from({ length: CODE_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join(""),
    hashOf: (text) => {
      const code = text.toUpperCase().replaceAll(/[\s-]/g, "");
      return FORM.test(code) ? createHmac("sha256", key).update(code).digest("hex") : null;
    },
  };
}
