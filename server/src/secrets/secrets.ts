import { generateSecret, requireSecret } from "./session-secret.ts";
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

/** The signing secrets of a server, created once and kept permanently. */
export interface Secrets {
  /** Signs session cookies and confirmation links: without it all users must sign in again. */
  readonly session: string;
  /** Browser subscriptions are bound to this key pair: without it no subscription can be reached. */
  readonly vapid: VapidKeyPair;
  /** Whether the secrets are stored sealed by a master key. */
  readonly isSealed: boolean;
}

/**
 * Returns the secrets: from files in the data folder on SQLite, otherwise from the database that all processes share.
 * There, a folder with such files offers them first, so that a server keeps its secrets when it moves to PostgreSQL.
 * New secrets are sealed if there is a master key. Unsealed ones stay unsealed until `tocsin rewrap`, because a node
 * of an earlier version may need them. Throws a `MissingKeyError` if a secret is sealed with a key that is not
 * available.
 */
export async function loadSecrets(settings: KeySettings, database: Database): Promise<Secrets> {
  const keeper = keeperOf(settings, database);
  const [session, vapid] = await Promise.all([keeper.find(SESSION), keeper.find(VAPID)]);
  const found = { [SESSION]: session, [VAPID]: vapid };
  const storedValues = [session, vapid].filter((stored) => stored !== null);
  const isNew = storedValues.length === 0;
  const ring = await (isNew ? loadOrCreateKeyRing : loadKeyRing)(settings);
  const isSealing = isNew || storedValues.some((stored) => keyIdOf(stored) !== null);
  const offers = { folder: fileKeeper(settings.dataDir), keeper, ring, isSealing };
  const loadSecret = async (name: SecretName) => {
    const stored = found[name] ?? (await offer(offers, name));
    return { stored, text: openKept(ring, { name, stored }) };
  };
  // Opens the stored secrets first: no new one is created next to one that does not open.
  for (const name of SECRET_NAMES) if (found[name] !== null) await loadSecret(name);
  const [sessionSecret, vapidSecret] = [await loadSecret(SESSION), await loadSecret(VAPID)];
  return {
    session: requireSecret(sessionSecret.text),
    vapid: parseVapidKeys(JSON.parse(vapidSecret.text)),
    isSealed: keyIdOf(sessionSecret.stored) !== null,
  };
}

/** Returns the secret that is stored under a name; throws like `openSecret`. */
export function openKept(
  ring: KeyRing,
  { name, stored }: { readonly name: SecretName; readonly stored: string },
): string {
  return openSecret(ring, { stored, place: placeOfSecret(name) });
}

const GENERATORS: Readonly<Record<SecretName, () => string>> = {
  [SESSION]: generateSecret,
  [VAPID]: () => JSON.stringify(generateVapidKeys()),
};

interface OfferDeps {
  readonly folder: SecretKeeper;
  readonly keeper: SecretKeeper;
  readonly ring: KeyRing;
  readonly isSealing: boolean;
}

/** Offers a secret that is not stored yet, and returns the stored one. */
async function offer(offers: OfferDeps, name: SecretName): Promise<string> {
  const { folder, keeper, ring, isSealing } = offers;
  const fromFolder = await folder.find(name);
  const text =
    fromFolder === null ? GENERATORS[name]() : openKept(ring, { name, stored: fromFolder });
  const place = placeOfSecret(name);
  const isSealed = isSealing && ring.current !== null;
  return keeper.offer(name, isSealed ? sealSecret(ring.current, { text, place }) : text);
}
