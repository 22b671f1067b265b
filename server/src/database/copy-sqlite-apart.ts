import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * Does the work of `copySqlite` in a thread of its own. Rejects as soon as the signal aborts; the caller removes what
 * the thread still writes.
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
    // Rejects on an error of the thread.
    await once(worker, "exit", { signal });
  } catch (error) {
    // The caller is about to remove the copy, so the thread may fail.
    worker.on("error", () => {});
    worker.unref();
    void worker.terminate();
    signal.throwIfAborted();
    throw error;
  }
}
