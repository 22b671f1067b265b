import { readFile } from "node:fs/promises";

/** A process's system calls, in the kernel's order. */
export type TracedCall =
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  /** The data written before is on the disk. */
  | { readonly kind: "synced"; readonly path: string };

/**
 * The arguments that make strace write what `parseTrace` reads: every thread, with the names of files. The
 * tracer runs beside (`-D`), so that signals reach the traced process itself.
 */
export const STRACE_ARGUMENTS = [
  "-D",
  "-f",
  "-y",
  "-s",
  "8192",
  "-e",
  "trace=write,writev,pwrite64,pwritev,sendmsg,sendto,fdatasync,fsync",
] as const;

const WRITE = /^(?:write|writev|pwrite64|pwritev|sendmsg|sendto)\(\d+<([^>]*)>, (.*)$/s;
const SYNC = /^(?:fdatasync|fsync)\(\d+<([^>]*)>/;
const RESUMED = /^<\.\.\. (?:fdatasync|fsync) resumed>/;

/**
 * Returns the calls of an strace log. A write counts from where it begins, a sync from where it ends: so no
 * interleaving of threads can make a sync look earlier than it was.
 */
export function parseTrace(log: string): readonly TracedCall[] {
  const syncing = new Map<string, string>();
  return log.split("\n").flatMap((line): TracedCall[] => {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const write = WRITE.exec(call);
    if (write !== null) return [{ kind: "write", path: write[1] ?? "", text: write[2] ?? "" }];
    const sync = SYNC.exec(call);
    if (sync !== null && call.includes("<unfinished")) {
      syncing.set(thread, sync[1] ?? "");
      return [];
    }
    if (sync !== null && call.endsWith("= 0")) return [{ kind: "synced", path: sync[1] ?? "" }];
    if (!RESUMED.test(call) || !call.endsWith("= 0")) return [];
    return [{ kind: "synced", path: syncing.get(thread) ?? "" }];
  });
}

/** Where each of some ids was first written, when that was on the disk, and when the caller was answered. */
export interface Moments {
  readonly written: number;
  readonly synced: number;
  readonly answered: number;
}

/**
 * Returns the positions in the trace at which an id went into the write-ahead log, was synced, and was
 * answered with status 200; -1 for what did not happen.
 */
export function momentsOf(calls: readonly TracedCall[], id: string): Moments {
  const isLog = ({ path }: TracedCall) => path.endsWith("-wal");
  const written = calls.findIndex(
    (call) => call.kind === "write" && isLog(call) && call.text.includes(id),
  );
  const synced = calls.findIndex(
    (call, index) => written !== -1 && index > written && call.kind === "synced" && isLog(call),
  );
  const answered = calls.findIndex(
    (call) => call.kind === "write" && call.text.includes("HTTP/1.1 200") && call.text.includes(id),
  );
  return { written, synced, answered };
}

const WRITTEN_TRIES_MAX = 200;
const WRITTEN_EVERY_MS = 25;

/** Reads the log at `path` once the tracer has written the end of the process `pid`. */
export async function readTrace(path: string, pid: number): Promise<string> {
  const end = new RegExp(`^${pid} +\\+\\+\\+ (?:exited|killed)`, "m");
  for (let tries = 0; tries < WRITTEN_TRIES_MAX; tries += 1) {
    const log = await readFile(path, "utf8");
    if (end.test(log)) return log;
    await new Promise((resolve) => setTimeout(resolve, WRITTEN_EVERY_MS));
  }
  throw new Error("The tracer does not come to an end.");
}
