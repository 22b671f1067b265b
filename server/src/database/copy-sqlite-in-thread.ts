import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * Runs `copySqlite` in its own thread. Rejects as soon as the signal aborts; the caller then removes the unfinished
 * copy.
 */
export async function copySqliteInThread(
  paths: { readonly sourcePath: string; readonly copyPath: string },
  signal: AbortSignal,
): Promise<void> {
  const worker = new Worker(new URL("./copy-sqlite-worker.ts", import.meta.url), {
    workerData: paths,
    name: "copy",
  });
  try {
    // Rejects on an error of the thread.
    await once(worker, "exit", { signal });
  } catch (error) {
    // The caller removes the copy next, so the thread may fail.
    worker.on("error", () => {});
    worker.unref();
    void worker.terminate();
    signal.throwIfAborted();
    throw error;
  }
}
