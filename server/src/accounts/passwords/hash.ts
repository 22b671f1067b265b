import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Semaphore } from "#concurrency/semaphore.ts";
import { AppError } from "#errors.ts";

/**
 * 32 MiB and about 50 ms per hash. The stored form `salt:key` implies these parameters. Other parameters need another
 * form, which earlier versions could not read.
 */
const COST = { N: 16_384, r: 16, p: 1 };
/** Twice the 32 MiB of one hash. Node's default limit is exactly 32 MiB, which is too low. */
const MEMORY_MAX_BYTES = 2 * 128 * COST.N * COST.r;
const KEY_BYTES = 64;
const SALT_BYTES = 16;

/**
 * Half of the four threads of libuv, because file access, DNS lookups and compression need threads too. So hashing
 * uses at most 64 MiB.
 */
const CONCURRENT_HASHES_MAX = 2;
/** At about 50 ms each, the last one waits seven seconds. A longer wait would exceed the timeouts of browsers. */
const PENDING_MAX = 256;
const RETRY_AFTER_MS = 5_000;

const permits = new Semaphore(CONCURRENT_HASHES_MAX);
let pending = 0;

/**
 * Returns the stored form of a password, `salt:key` in hexadecimal, by scrypt (RFC 7914) with a random salt. Runs
 * outside the event loop. Throws `unavailable` if too many hashes are pending.
 */
export async function hashPassword(password: string): Promise<string> {
  // The salt is the hexadecimal string, not the bytes, as in all stored hashes.
  const salt = randomBytes(SALT_BYTES).toString("hex");
  return `${salt}:${(await derive(password, salt)).toString("hex")}`;
}

/**
 * Returns whether a password matches a stored hash. Takes the same time for every password. A malformed hash matches
 * no password. Throws `unavailable` as `hashPassword` does.
 */
export async function verifyPassword(stored: string, password: string): Promise<boolean> {
  const [salt = "", hexadecimal = ""] = stored.split(":");
  const [key, expected] = [await derive(password, salt), Buffer.from(hexadecimal, "hex")];
  return key.length === expected.length && timingSafeEqual(key, expected);
}

/** Normalises with NFKC, so that a password is the same from every keyboard (NIST SP 800-63B section 3.1.1.2). */
async function derive(password: string, salt: string): Promise<Buffer> {
  if (pending >= PENDING_MAX) throw tooMany();
  pending += 1;
  try {
    return await permits.use(() => scryptKey(password.normalize("NFKC"), salt));
  } finally {
    pending -= 1;
  }
}

function scryptKey(password: string, salt: string): Promise<Buffer> {
  const options = { ...COST, maxmem: MEMORY_MAX_BYTES };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

function tooMany(): AppError {
  const message = "Too many people are signing in. Try again in a few seconds.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS });
}
