import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * Does what `copySqlite` does, in a thread of its own. Rejects as soon as the signal aborts: what that thread still writes is for
 * the caller to remove.
 */
export async function copySqliteApart(
  files: { readonly path: string; readonly copy: string },
  signal: AbortSignal,
): Promise<void> {
  const worker = new Worker(new URL("./copy-sqlite-worker.ts", import.meta.url), {
    workerData: files,
    name: "copy",
  });
  try {
    // An error of the thread rejects it.
    await once(worker, "exit", { signal });
  } catch (error) {
    // What it writes is about to be removed: it may fail.
    worker.on("error", () => {});
    worker.unref();
    void worker.terminate();
    signal.throwIfAborted();
    throw error;
  }
}
