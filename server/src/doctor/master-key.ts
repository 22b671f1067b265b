import { stat } from "node:fs/promises";
import { join } from "node:path";
import { inspectPostgres } from "#database/inspect-postgres.ts";
import { getMasterKeyId } from "#secrets/envelope.ts";
import type { KeyRing } from "#secrets/key-ring.ts";
import {
  DamagedKeyFileError,
  loadKeyRing,
  MASTER_KEY_FILE,
  type KeySettings,
} from "#secrets/load-key-ring.ts";
import { createFileSecretStore, findStoredSecrets } from "#secrets/secret-store.ts";
import { fail, ok, warn, type Verdict } from "./finding.ts";

/** The permission bits of the group and of other users. */
const OTHERS_MASK = 0o077;

/** Checks whether the server's secrets are sealed, and whether their keys are present and private. */
export async function checkMasterKey(settings: KeySettings): Promise<Verdict> {
  const ring = await loadRing(settings);
  if ("status" in ring) return ring;
  const storedSecrets = await readStoredSecrets(settings);
  if (storedSecrets === null) {
    return warn(
      "It could not be checked whether the secrets are sealed.",
      "Fix the problems with the data folder and the database, then run tocsin doctor again.",
    );
  }
  return (
    assessSeals(settings, { ring, keyIds: storedSecrets.map((text) => getMasterKeyId(text)) }) ??
    checkKeyFile(settings, ring)
  );
}

/** The available keys, and the ids of those that seal the stored secrets. */
interface SealState {
  readonly ring: KeyRing;
  /** The id of the key that seals each secret; null for an unsealed secret. */
  readonly keyIds: readonly (string | null)[];
}

/** Returns the verdict on the seals; null if the current key seals every secret, and no old key is set. */
function assessSeals(settings: KeySettings, { ring, keyIds }: SealState): Verdict | null {
  const { current, all } = ring;
  const missingKeyId = keyIds.find(
    (keyId) => keyId !== null && !all.some(({ id }) => id === keyId),
  );
  if (typeof missingKeyId === "string") {
    return fail(
      `The server's secrets are sealed with the master key ${missingKeyId}, which is not here: the server cannot start.`,
      "Set TOCSIN_MASTER_KEY_FILE to the file with that key; while keys are changed, TOCSIN_MASTER_KEY_OLD_FILE.",
    );
  }
  if (current === null) return assessWithoutKey(settings, keyIds);
  if (keyIds.includes(null)) {
    return warn(
      `The server's secrets are not sealed: every copy of ${describeLocation(settings)} contains them unencrypted.`,
      "Run: tocsin rewrap",
    );
  }
  if (keyIds.some((keyId) => keyId !== current.id)) {
    return warn(
      `The server's secrets are still sealed with the master key before ${current.id}.`,
      "Run: tocsin rewrap",
    );
  }
  if (settings.masterKeys.old === null) return null;
  return warn(
    "TOCSIN_MASTER_KEY_OLD is set, and nothing is sealed with that key any more.",
    "Unset TOCSIN_MASTER_KEY_OLD and TOCSIN_MASTER_KEY_OLD_FILE.",
  );
}

function assessWithoutKey({ database }: KeySettings, keyIds: readonly (string | null)[]): Verdict {
  if (database.kind === "sqlite") {
    if (keyIds.length === 0) return ok("A master key will be created at the first start.");
    return warn(
      "The server's secrets are not sealed: every copy of the data folder contains them unencrypted.",
      "Stop the server, and run: tocsin rewrap",
    );
  }
  const isSealed = keyIds.some((keyId) => keyId !== null);
  return warn(
    isSealed
      ? "The master key is in the data folder, where no other node finds it."
      : "There is no master key: every copy of the database contains the server's secrets unencrypted.",
    isSealed
      ? `Set TOCSIN_MASTER_KEY_FILE to a file with the same key, on every node.`
      : "Set TOCSIN_MASTER_KEY_FILE to a file with the output of openssl rand -hex 32 on every node, then run tocsin rewrap.",
  );
}

/** Checks the permissions of the current key's file, if it is in one. */
async function checkKeyFile(settings: KeySettings, { current }: KeyRing): Promise<Verdict> {
  const sealedText = `The server's secrets are sealed with the master key ${current?.id ?? ""}`;
  const isCreatedKey = settings.masterKeys.current === null;
  const path = isCreatedKey ? getKeyFilePath(settings) : settings.masterKeys.file;
  if (path === null) return ok(`${sealedText}.`);
  const { mode } = await stat(path);
  if ((mode & OTHERS_MASK) !== 0) {
    return warn(
      `Other users of this machine may read the master key in ${path}.`,
      `Run: chmod 600 ${path}`,
    );
  }
  return ok(`${sealedText} in ${path}; keep a copy of it in another place than your backups.`);
}

function describeLocation({ database }: KeySettings): string {
  return database.kind === "sqlite" ? "the data folder" : "the database";
}

function getKeyFilePath({ dataDir }: KeySettings): string {
  return join(dataDir, MASTER_KEY_FILE);
}

/** Returns the key ring, or a verdict with the reason that it cannot be read. */
async function loadRing(settings: KeySettings): Promise<KeyRing | Verdict> {
  try {
    return await loadKeyRing(settings);
  } catch (error) {
    if (error instanceof DamagedKeyFileError) {
      return fail(
        `${getKeyFilePath(settings)} is not a master key.`,
        "Restore it from your copy: without it, the secrets that it seals cannot be read.",
      );
    }
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    return fail(
      `${getKeyFilePath(settings)} cannot be read (${code}).`,
      "Run tocsin doctor as the user that runs the server, and give that user the file.",
    );
  }
}

/** Returns the secrets as stored; null if they cannot be read, which other checks report. */
async function readStoredSecrets(settings: KeySettings): Promise<readonly string[] | null> {
  const { database, dataDir } = settings;
  try {
    if (database.kind === "postgres") {
      return Object.values((await inspectPostgres(database.url)).secrets);
    }
    const secrets = await findStoredSecrets(createFileSecretStore(dataDir));
    return secrets.map(({ stored }) => stored);
  } catch {
    return null;
  }
}
