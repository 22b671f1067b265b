import { join } from "node:path";
import { loadOrCreateSecret, makeSecret, SECRET_FILE } from "#accounts/session-secret.ts";
import type { Config } from "#config.ts";
import { loadOrCreateFile, readText } from "#data-file.ts";
import type { Database } from "#database/database.ts";
import { shareSecret } from "#nodes/secrets/store.ts";
import {
  generateVapidKeys,
  parseVapidKeys,
  type VapidKeys,
} from "#providers/webpush/vapid-keys.ts";

/** What a server signs with, made once and kept for good. */
export interface Secrets {
  /** Signs session cookies and confirmation links: without it everybody must sign in again. */
  readonly session: string;
  /** Browsers' subscriptions are bound to the key pair: without it none is reached any more. */
  readonly vapid: VapidKeys;
}

/** The file in the data folder. */
export const VAPID_FILE = "vapid.json";

/** The name in `shared_secret`. */
export const SESSION = "session";
/** The name in `shared_secret`. */
export const VAPID = "vapid";

/**
 * Returns the secrets: from files in the data folder beside a SQLite file, which are made where they are missing; else
 * from the database, as all its processes need the same. There, a folder that has the files already offers them: a server
 * that moves to PostgreSQL takes them along.
 */
export async function loadSecrets(
  { database: place, dataDir }: Pick<Config, "database" | "dataDir">,
  database: Database,
): Promise<Secrets> {
  if (place.kind === "sqlite") {
    const vapid = await loadOrCreateFile(join(dataDir, VAPID_FILE), makeVapid);
    return { session: await loadOrCreateSecret(dataDir), vapid: parse(vapid) };
  }
  const [session, vapid] = await Promise.all([
    share({ database, name: SESSION, path: join(dataDir, SECRET_FILE), make: makeSecret }),
    share({ database, name: VAPID, path: join(dataDir, VAPID_FILE), make: makeVapid }),
  ]);
  return { session, vapid: parse(vapid) };
}

function makeVapid(): string {
  return JSON.stringify(generateVapidKeys());
}

function parse(text: string): VapidKeys {
  return parseVapidKeys(JSON.parse(text));
}

interface Shared {
  readonly database: Database;
  readonly name: string;
  readonly path: string;
  readonly make: () => string;
}

async function share({ database, name, path, make }: Shared): Promise<string> {
  const offered = (await readText(path)) ?? make();
  return shareSecret(database, { name, offered });
}
