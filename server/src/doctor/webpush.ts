import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { inspectPostgres } from "#database/inspect-postgres.ts";
import { addressOf } from "#database/postgres-failure.ts";
import { parseVapidKeys } from "#secrets/vapid-keys.ts";
import { keyIdOf } from "#secrets/envelope.ts";
import type { KeyRing } from "#secrets/key-ring.ts";
import { loadKeyRing, type KeySettings } from "#secrets/master-keys.ts";
import { VAPID, VAPID_FILE } from "#secrets/secret-keeper.ts";
import { openKept } from "#secrets/secrets.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

const OTHERS_MASK = 0o077;

/** Checks the VAPID key pair, to which browser subscriptions are bound. */
export async function checkVapidKeys(settings: KeySettings): Promise<Verdict> {
  const { database, dataDir } = settings;
  const ring = await loadKeyRing(settings).catch(() => NO_KEYS);
  if (database.kind === "postgres") return checkDatabase(database.url, ring);
  return checkFile(dataDir, ring);
}

async function checkDatabase(url: string, ring: KeyRing): Promise<Verdict> {
  const { server, name } = addressOf(url);
  const subject = `The database ${name} at ${server}`;
  try {
    const vapid = (await inspectPostgres(url)).secrets[VAPID];
    if (vapid === undefined)
      return ok(`${subject} will get a key pair for Web Push at the first start.`);
    if (isSealedWithOtherKey(ring, vapid)) return describeLocked(subject);
    if (isKeyPair(ring, vapid)) return ok(`${subject} holds the key pair for Web Push.`);
    return fail(`${subject} holds no key pair for Web Push where it should.`, RESTORE);
  } catch {
    return warn(
      `${subject} could not be asked for the key pair for Web Push.`,
      "Fix the database problem, then run tocsin doctor again.",
    );
  }
}

async function checkFile(dataDir: string, ring: KeyRing): Promise<Verdict> {
  const path = join(dataDir, VAPID_FILE);
  try {
    const text = await readFile(path, "utf8");
    const { mode } = await stat(path);
    if (isSealedWithOtherKey(ring, text)) return describeLocked(path);
    if (!isKeyPair(ring, text)) return fail(`${path} is not a key pair for Web Push.`, RESTORE);
    if ((mode & OTHERS_MASK) === 0) return ok(`${path} holds the key pair for Web Push.`);
    return warn(
      `Other users of this machine may get at the key pair in ${path}.`,
      `Run: chmod 600 ${path}`,
    );
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    if (code === "ENOENT") return ok(`${path} will be made at the first start.`);
    return fail(
      `${path} cannot be read (${code}).`,
      "Run tocsin doctor as the user that runs the server, and give that user the file.",
    );
  }
}

const RESTORE =
  "Restore the file from a backup; with a new key pair, every browser must subscribe again.";

const NO_KEYS: KeyRing = { current: null, all: [] };

function isSealedWithOtherKey({ all }: KeyRing, stored: string): boolean {
  const keyId = keyIdOf(stored);
  return keyId !== null && !all.some(({ id }) => id === keyId);
}

function describeLocked(location: string): Verdict {
  return warn(
    `${location} holds the key pair for Web Push, sealed with a master key that is not here.`,
    "Fix the master key problem, then run tocsin doctor again.",
  );
}

/** Returns whether a stored secret is a key pair. Discards the parser's message, which would quote the secret. */
function isKeyPair(ring: KeyRing, stored: string): boolean {
  try {
    parseVapidKeys(JSON.parse(openKept(ring, { name: VAPID, stored })));
    return true;
  } catch {
    return false;
  }
}
