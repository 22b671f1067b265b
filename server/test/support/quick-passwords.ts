/**
 * Preloaded into test processes: makes the hash of a password cheap. A tenth of a second of CPU for each of the thousands of
 * accounts that tests make would be a fifth of all that they cost. What drives browsers, and campaigns, run without it.
 */
import type { ScryptOptions } from "node:crypto";
import { isMainThread } from "node:worker_threads";

type Scrypt = (
  password: string,
  salt: string,
  length: number,
  options: ScryptOptions,
  callback: (error: Error | null, key: Buffer) => void,
) => void;

// The thread of a SQLite file preloads this as well, and hashes nothing: loading `node:module` there costs a third of its start.
if (isMainThread) {
  const { default: crypto } = await import("node:crypto");
  const { syncBuiltinESMExports } = await import("node:module");
  const { scrypt } = crypto;

  /** As `accounts/passwords/hash.ts` calls it. */
  const quick: Scrypt = (password, salt, length, options, callback) =>
    scrypt(password, salt, length, { ...options, N: 2 }, callback);

  Object.assign(crypto, { scrypt: quick });
  syncBuiltinESMExports();
}
