import { makeSecret, requireSecret } from "./session-secret.ts";
import type { Database } from "#database/database.ts";
import { keyIdOf, openSecret, sealSecret } from "./envelope.ts";
import type { KeyRing } from "./key-ring.ts";
import { loadKeyRing, loadOrCreateKeyRing, type KeySettings } from "./master-keys.ts";
import {
  fileKeeper,
  keeperOf,
  placeOfSecret,
  SECRET_NAMES,
  SESSION,
  VAPID,
  type SecretKeeper,
  type SecretName,
} from "./secret-keeper.ts";
import { generateVapidKeys, parseVapidKeys, type VapidKeyPair } from "./vapid-keys.ts";

/** The signing secrets of a server, created once and kept for good. */
export interface Secrets {
  /** Signs session cookies and confirmation links: without it all users must sign in again. */
  readonly session: string;
  /** Browsers' subscriptions are bound to this key pair: without it none can be reached any more. */
  readonly vapid: VapidKeyPair;
  /** Whether they are stored sealed by a master key. */
  readonly isSealed: boolean;
}

/**
 * Returns the secrets: from files in the data folder on SQLite; else from the database, as all its processes need the
 * same. There, a folder that has the files already offers them: a server that moves to PostgreSQL takes them along. New
 * ones are sealed if a master key is chosen. Unsealed ones stay so until `tocsin rewrap`, as a node of an earlier
 * version may need them. Throws a `MissingKeyError` if they are sealed with a key that is not here.
 */
export async function loadSecrets(settings: KeySettings, database: Database): Promise<Secrets> {
  const keeper = keeperOf(settings, database);
  const [session, vapid] = await Promise.all([keeper.find(SESSION), keeper.find(VAPID)]);
  const found = { [SESSION]: session, [VAPID]: vapid };
  const kept = [session, vapid].filter((stored) => stored !== null);
  const isNew = kept.length === 0;
  const ring = await (isNew ? loadOrCreateKeyRing : loadKeyRing)(settings);
  const isSealing = isNew || kept.some((stored) => keyIdOf(stored) !== null);
  const offers = { folder: fileKeeper(settings.dataDir), keeper, ring, isSealing };
  const take = async (name: SecretName) => {
    const stored = found[name] ?? (await offer(offers, name));
    return { stored, text: openKept(ring, { name, stored }) };
  };
  // Stored secrets are opened first: no new one is created beside one that does not open.
  for (const name of SECRET_NAMES) if (found[name] !== null) await take(name);
  const [ownSession, ownVapid] = [await take(SESSION), await take(VAPID)];
  return {
    session: requireSecret(ownSession.text),
    vapid: parseVapidKeys(JSON.parse(ownVapid.text)),
    isSealed: keyIdOf(ownSession.stored) !== null,
  };
}

/** Returns the secret stored under a name; throws as `openSecret` does. */
export function openKept(
  ring: KeyRing,
  { name, stored }: { readonly name: SecretName; readonly stored: string },
): string {
  return openSecret(ring, { stored, place: placeOfSecret(name) });
}

const MAKE: Readonly<Record<SecretName, () => string>> = {
  [SESSION]: makeSecret,
  [VAPID]: () => JSON.stringify(generateVapidKeys()),
};

interface Offers {
  readonly folder: SecretKeeper;
  readonly keeper: SecretKeeper;
  readonly ring: KeyRing;
  readonly isSealing: boolean;
}

/** Offers a secret that is not stored yet, and returns the one stored then. */
async function offer(offers: Offers, name: SecretName): Promise<string> {
  const { folder, keeper, ring, isSealing } = offers;
  const brought = await folder.find(name);
  const text = brought === null ? MAKE[name]() : openKept(ring, { name, stored: brought });
  const place = placeOfSecret(name);
  const isSealed = isSealing && ring.current !== null;
  return keeper.offer(name, isSealed ? sealSecret(ring.current, { text, place }) : text);
}
