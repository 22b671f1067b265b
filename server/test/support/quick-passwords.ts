/**
 * Preloaded into test processes: makes the hash of a password cheap. A tenth of a second of CPU for each of the thousands of
 * accounts that tests make would be a fifth of all that they cost. What drives browsers, and campaigns, run without it.
 */
import crypto, { type ScryptOptions } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const { scrypt } = crypto;

type Scrypt = (
  password: string,
  salt: string,
  length: number,
  options: ScryptOptions,
  callback: (error: Error | null, key: Buffer) => void,
) => void;

/** As `accounts/passwords/hash.ts` calls it. */
const quick: Scrypt = (password, salt, length, options, callback) =>
  scrypt(password, salt, length, { ...options, N: 2 }, callback);

Object.assign(crypto, { scrypt: quick });
syncBuiltinESMExports();
