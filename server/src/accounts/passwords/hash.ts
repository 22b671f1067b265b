import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { Semaphore } from "#concurrency/semaphore.ts";
import { AppError } from "#errors.ts";

/**
 * 32 MiB and about 50 ms for each hash. All stored hashes have these parameters, and so does `salt:key`: others need another form, which
 * earlier versions could not read.
 */
const COST = { N: 16_384, r: 16, p: 1 };
/** Twice the 32 MiB that one hash takes: Node's own limit is just that, and refuses. */
const MEMORY_MAX_BYTES = 2 * 128 * COST.N * COST.r;
const KEY_BYTES = 64;
const SALT_BYTES = 16;

/**
 * Half of the four threads of libuv, which files, name look-ups and compression need too. So hashing never holds more than
 * 64 MiB.
 */
const AT_ONCE = 2;
/** At about 50 ms each, the last in line waits seven seconds; a longer wait would outlast the deadlines of browsers. */
const PENDING_MAX = 256;
const RETRY_AFTER_MS = 5_000;

const places = new Semaphore(AT_ONCE);
let pending = 0;

/**
 * Returns the stored form of a password, `salt:key` in hexadecimal: scrypt (RFC 7914) with a random salt, off the event loop. Throws
 * `unavailable` if too many hashes are pending.
 */
export async function hashPassword(password: string): Promise<string> {
  // The salt is its hexadecimal text, not the bytes: all stored hashes were made like that.
  const salt = randomBytes(SALT_BYTES).toString("hex");
  return `${salt}:${(await derive(password, salt)).toString("hex")}`;
}

/**
 * Returns whether a password is the stored one, after the same time for every password. A stored text of another form is
 * nobody's password. Throws `unavailable` as `hashPassword` does.
 */
export async function verifyPassword(stored: string, password: string): Promise<boolean> {
  const [salt = "", hexadecimal = ""] = stored.split(":");
  const [key, right] = [await derive(password, salt), Buffer.from(hexadecimal, "hex")];
  return key.length === right.length && timingSafeEqual(key, right);
}

/** NFKC, so that a password is the same from every keyboard (NIST SP 800-63B section 3.1.1.2). */
async function derive(password: string, salt: string): Promise<Buffer> {
  if (pending >= PENDING_MAX) throw tooMany();
  pending += 1;
  try {
    return await places.use(() => scryptKey(password.normalize("NFKC"), salt));
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
  const message = "Too many people are signing in at once. Try again in a few seconds.";
  return new AppError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS });
}
