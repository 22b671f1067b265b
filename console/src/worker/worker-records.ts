import type { DeviceCredential } from "@tocsin/sdk";

/** The values that the pages and the worker share. A worker cannot read `localStorage`. */
interface WorkerRecords {
  /** The key with which this browser acts for its account, even after the session has ended. */
  readonly deviceKey: DeviceCredential;
  /** Whether a dismissed notification counts as read; missing until the person chooses. */
  readonly countsDismissals: boolean;
  /** The language of the console in this browser. */
  readonly language: string;
}

const DATABASE_NAME = "tocsin";
const STORE_NAME = "worker";

/** Returns a stored value; null if there is none. Rejects if the browser has no storage. */
export async function readRecord<Name extends keyof WorkerRecords>(
  name: Name,
): Promise<WorkerRecords[Name] | null> {
  const value: unknown = await runOnStore((store) => store.get(name));
  // Only this module writes the store.
  return (value as WorkerRecords[Name] | undefined) ?? null;
}

/** Stores a value. Rejects if the browser has no storage. */
export async function writeRecord<Name extends keyof WorkerRecords>(
  name: Name,
  value: WorkerRecords[Name],
): Promise<void> {
  await runOnStore((store) => store.put(value, name));
}

/** Deletes a stored value. Rejects if the browser has no storage. */
export async function deleteRecord(name: keyof WorkerRecords): Promise<void> {
  await runOnStore((store) => store.delete(name));
}

async function runOnStore(run: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open(DATABASE_NAME, 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE_NAME));
  const database = await waitFor(opening);
  try {
    // One mode for reads and writes keeps the first page's script small. So few records need no concurrent readers.
    const transaction = database.transaction(STORE_NAME, "readwrite");
    return await waitFor(run(transaction.objectStore(STORE_NAME)));
  } finally {
    database.close();
  }
}

function waitFor<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("No storage.")));
  });
}
