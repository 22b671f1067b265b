import { createHmac, hkdfSync, randomInt } from "node:crypto";

/** No 0, 1, I or O: what looks alike is typed wrong. 32 characters, so that each holds five bits. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/**
 * 2^50 codes, each good for ten minutes and once. A thousand guesses at every second of a year, which takes 12,000 networks at the
 * rate that each of them has, find one with a probability of 0.003 % where one code is open at every moment. So no limit of all
 * networks together is needed, which strangers could use up for everybody.
 */
const CODE_CHARACTERS = 10;
const FORM = new RegExp(`^[${ALPHABET}]{${CODE_CHARACTERS}}$`);
const KEY_BYTES = 32;

/** Makes codes that people type, and what is stored of them. */
export interface Codes {
  /** Returns a new code of ten letters and digits: 50 random bits. */
  readonly create: () => string;
  /** Returns what is stored of a code, however it was typed; null for a text that cannot be one. */
  readonly hashOf: (text: string) => string | null;
}

/**
 * Returns the codes of one server. 50 bits are too few for a hash without a key: a copy of the database alone must not
 * tell them.
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
