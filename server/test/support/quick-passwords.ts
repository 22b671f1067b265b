/**
 * Preloaded into test processes: makes password hashes cheap. Real hashes take a tenth of a second for each of thousands
 * of accounts: a fifth of the CPU time of all tests. Journeys and campaigns run without it.
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

// The thread of a SQLite file also preloads this module but hashes nothing, and loading `node:module` would take a third of its start.
if (isMainThread) {
  const { default: crypto } = await import("node:crypto");
  const { syncBuiltinESMExports } = await import("node:module");
  const { scrypt } = crypto;

  /** The signature that `accounts/passwords/hash.ts` uses. */
  const quick: Scrypt = (password, salt, length, options, callback) =>
    scrypt(password, salt, length, { ...options, N: 2 }, callback);

  Object.assign(crypto, { scrypt: quick });
  syncBuiltinESMExports();
}
