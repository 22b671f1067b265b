import { generateSessionSecret, requireSessionSecret } from "./session-secret.ts";
import type { Database } from "#database/database.ts";
import { getMasterKeyId, openSecret, sealSecret } from "./envelope.ts";
import type { KeyRing } from "./key-ring.ts";
import { loadKeyRing, loadOrCreateKeyRing, type KeySettings } from "./load-key-ring.ts";
import {
  createFileSecretStore,
  createSecretStore,
  getSecretLocation,
  SECRET_NAMES,
  SESSION_SECRET,
  VAPID_SECRET,
  type SecretStore,
  type SecretName,
} from "./secret-store.ts";
import { generateVapidKeys, parseVapidKeys, type VapidKeyPair } from "./vapid-keys.ts";

/** The signing secrets of a server, created at its first start. */
export interface Secrets {
  /**
   * Signs session cookies; the keys that seal rows and links are derived from it. Without it all users must sign in
   * again, and nothing that was sealed with it can be opened.
   */
  readonly session: string;
  /** Browser subscriptions are bound to this key pair: without it no subscription can be reached. */
  readonly vapid: VapidKeyPair;
  /** Whether a master key seals the stored session secret. */
  readonly isSealed: boolean;
}

/**
 * Returns the secrets: from files in the data folder on SQLite, otherwise from the database that all processes share.
 * A secret that the database lacks is taken from such a file, so that a server keeps its secrets when it moves to
 * PostgreSQL. New secrets are sealed if there is a master key. Unsealed ones stay unsealed until `tocsin rewrap`,
 * because a node of an earlier version may need them. Throws a `MissingKeyError` if a secret is sealed with a key that
 * is not available, and a `DamagedSealError` if a sealed secret was changed.
 */
export async function loadSecrets(settings: KeySettings, database: Database): Promise<Secrets> {
  const store = createSecretStore(settings, database);
  const [session, vapid] = await Promise.all([
    store.find(SESSION_SECRET),
    store.find(VAPID_SECRET),
  ]);
  const storedSecrets = { [SESSION_SECRET]: session, [VAPID_SECRET]: vapid };
  const storedValues = [session, vapid].filter((stored) => stored !== null);
  const isNew = storedValues.length === 0;
  const ring = await (isNew ? loadOrCreateKeyRing : loadKeyRing)(settings);
  const isSealing = isNew || storedValues.some((stored) => getMasterKeyId(stored) !== null);
  const creationDeps = { files: createFileSecretStore(settings.dataDir), store, ring, isSealing };
  const loadSecret = async (name: SecretName) => {
    const stored = storedSecrets[name] ?? (await createSecret(creationDeps, name));
    return { stored, text: openStoredSecret(ring, { name, stored }) };
  };
  // Opens the stored secrets first, so that no secret is created if a stored one cannot be opened.
  for (const name of SECRET_NAMES) if (storedSecrets[name] !== null) await loadSecret(name);
  const sessionSecret = await loadSecret(SESSION_SECRET);
  const vapidSecret = await loadSecret(VAPID_SECRET);
  return {
    session: requireSessionSecret(sessionSecret.text),
    vapid: parseVapidKeys(JSON.parse(vapidSecret.text)),
    isSealed: getMasterKeyId(sessionSecret.stored) !== null,
  };
}

/** Returns the secret that is stored under a name; throws like `openSecret`. */
export function openStoredSecret(
  ring: KeyRing,
  { name, stored }: { readonly name: SecretName; readonly stored: string },
): string {
  return openSecret(ring, { stored, location: getSecretLocation(name) });
}

const SECRET_GENERATORS: Readonly<Record<SecretName, () => string>> = {
  [SESSION_SECRET]: generateSessionSecret,
  [VAPID_SECRET]: () => JSON.stringify(generateVapidKeys()),
};

/** The stores of secrets, and the keys to seal a new one with. */
interface SecretCreationDeps {
  /** The secrets in the data folder, which may be those of the same server on SQLite. */
  readonly files: SecretStore;
  readonly store: SecretStore;
  readonly ring: KeyRing;
  readonly isSealing: boolean;
}

/** Stores a secret that is missing, from its file or a new one, and returns the stored one. */
async function createSecret(deps: SecretCreationDeps, name: SecretName): Promise<string> {
  const { files, store, ring, isSealing } = deps;
  const storedInFile = await files.find(name);
  const text =
    storedInFile === null
      ? SECRET_GENERATORS[name]()
      : openStoredSecret(ring, { name, stored: storedInFile });
  const location = getSecretLocation(name);
  const isSealed = isSealing && ring.current !== null;
  return store.storeIfMissing(name, isSealed ? sealSecret(ring.current, { text, location }) : text);
}
