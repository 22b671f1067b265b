import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Semaphore } from "#concurrency/semaphore.ts";
import { AppError } from "#errors.ts";

/**
 * 32 MiB and about 50 ms per hash. The stored form `salt:key` implies these parameters. Other parameters need another
 * form, which earlier versions could not read.
 */
const SCRYPT_COST = { N: 16_384, r: 16, p: 1 };
/** Twice the 32 MiB of one hash. Node's default limit is exactly 32 MiB, which is too low. */
const MEMORY_MAX_BYTES = 2 * 128 * SCRYPT_COST.N * SCRYPT_COST.r;
const KEY_BYTES = 64;
const SALT_BYTES = 16;

/**
 * Half of the four threads of libuv, because file access, DNS lookups and compression need threads too. So hashing
 * uses at most 64 MiB.
 */
const CONCURRENT_HASHES_MAX = 2;
/** At about 50 ms per hash, the last hash waits more than six seconds. People do not wait much longer. */
const PENDING_HASHES_MAX = 256;
const RETRY_AFTER_MS = 5_000;

const semaphore = new Semaphore(CONCURRENT_HASHES_MAX);
let pendingCount = 0;

/**
 * Returns the stored form of a password, `salt:key` in hexadecimal, by scrypt (RFC 7914) with a random salt. Runs
 * outside the event loop. Throws `unavailable` if too many hashes are pending.
 */
export async function hashPassword(password: string): Promise<string> {
  // The salt is the hexadecimal string, not the bytes, as in all stored hashes.
  const salt = randomBytes(SALT_BYTES).toString("hex");
  return `${salt}:${(await deriveKey(password, salt)).toString("hex")}`;
}

/**
 * Returns whether a password matches a stored hash. Takes the same time for every password. A malformed hash matches
 * no password. Throws `unavailable` as `hashPassword` does.
 */
export async function verifyPassword(storedHash: string, password: string): Promise<boolean> {
  const [salt = "", hexadecimal = ""] = storedHash.split(":");
  const key = await deriveKey(password, salt);
  const expectedKey = Buffer.from(hexadecimal, "hex");
  return key.length === expectedKey.length && timingSafeEqual(key, expectedKey);
}

/** Normalises with NFKC, so that a password is the same from every keyboard (NIST SP 800-63B section 3.1.1.2). */
async function deriveKey(password: string, salt: string): Promise<Buffer> {
  if (pendingCount >= PENDING_HASHES_MAX) throw createTooManyHashesError();
  pendingCount += 1;
  try {
    return await semaphore.use(() => deriveScryptKey(password.normalize("NFKC"), salt));
  } finally {
    pendingCount -= 1;
  }
}

function deriveScryptKey(password: string, salt: string): Promise<Buffer> {
  const options = { ...SCRYPT_COST, maxmem: MEMORY_MAX_BYTES };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

function createTooManyHashesError(): AppError {
  const message = "Too many people are signing in. Try again in a few seconds.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS });
}
