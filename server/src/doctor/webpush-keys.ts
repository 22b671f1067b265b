import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { inspectPostgres } from "#database/inspect-postgres.ts";
import { parseDatabaseAddress } from "#database/postgres-failure.ts";
import { parseVapidKeys } from "#secrets/vapid-keys.ts";
import { getMasterKeyId } from "#secrets/envelope.ts";
import type { KeyRing } from "#secrets/key-ring.ts";
import { loadKeyRing, type KeySettings } from "#secrets/load-key-ring.ts";
import { VAPID_SECRET, VAPID_FILE } from "#secrets/secret-store.ts";
import { openStoredSecret } from "#secrets/secrets.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

/** The permission bits of the group and of other users. */
const OTHERS_MASK = 0o077;

/** Checks the VAPID key pair, to which browser subscriptions are bound. */
export async function checkVapidKeys(settings: KeySettings): Promise<Verdict> {
  const { database, dataDir } = settings;
  // The check of the master key reports why the keys cannot be loaded.
  const ring = await loadKeyRing(settings).catch(() => NO_KEYS);
  if (database.kind === "postgres") return checkKeysInDatabase(database.url, ring);
  return checkKeyFile(dataDir, ring);
}

async function checkKeysInDatabase(url: string, ring: KeyRing): Promise<Verdict> {
  const { server, name } = parseDatabaseAddress(url);
  const subject = `The database ${name} at ${server}`;
  try {
    const vapid = (await inspectPostgres(url)).secrets[VAPID_SECRET];
    if (vapid === undefined)
      return ok(`${subject} will get a key pair for Web Push at the first start.`);
    if (isSealedWithOtherKey(ring, vapid)) return createOtherKeyWarning(subject);
    if (isKeyPair(ring, vapid)) return ok(`${subject} holds the key pair for Web Push.`);
    return fail(`${subject} holds no valid key pair for Web Push.`, RESTORE_REMEDY);
  } catch {
    return warn(
      `${subject} could not be read, so its key pair for Web Push was not checked.`,
      "Fix the database problem, then run tocsin doctor again.",
    );
  }
}

async function checkKeyFile(dataDir: string, ring: KeyRing): Promise<Verdict> {
  const path = join(dataDir, VAPID_FILE);
  try {
    const text = await readFile(path, "utf8");
    const { mode } = await stat(path);
    if (isSealedWithOtherKey(ring, text)) return createOtherKeyWarning(path);
    if (!isKeyPair(ring, text))
      return fail(`${path} is not a key pair for Web Push.`, RESTORE_REMEDY);
    if ((mode & OTHERS_MASK) === 0) return ok(`${path} holds the key pair for Web Push.`);
    return warn(
      `Other users of this machine may read the key pair in ${path}.`,
      `Run: chmod 600 ${path}`,
    );
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    if (code === "ENOENT") return ok(`${path} will be created at the first start.`);
    return fail(
      `${path} cannot be read (${code}).`,
      "Run tocsin doctor as the user that runs the server, and give that user the file.",
    );
  }
}

const RESTORE_REMEDY =
  "Restore the key pair from a backup; with a new one, every browser must subscribe again.";

const NO_KEYS: KeyRing = { current: null, all: [] };

function isSealedWithOtherKey({ all }: KeyRing, stored: string): boolean {
  const keyId = getMasterKeyId(stored);
  return keyId !== null && !all.some(({ id }) => id === keyId);
}

function createOtherKeyWarning(location: string): Verdict {
  return warn(
    `${location} holds the key pair for Web Push, sealed with a master key that is not here.`,
    "Fix the master key problem, then run tocsin doctor again.",
  );
}

/** Returns whether a stored secret is a key pair. Discards the parser's error, which may quote the secret. */
function isKeyPair(ring: KeyRing, stored: string): boolean {
  try {
    parseVapidKeys(JSON.parse(openStoredSecret(ring, { name: VAPID_SECRET, stored })));
    return true;
  } catch {
    return false;
  }
}
