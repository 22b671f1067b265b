import { readFile } from "node:fs/promises";

/** A traced system call. */
export type TracedCall =
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  /** All data that was written earlier is on disk. */
  | { readonly kind: "synced"; readonly path: string };

/**
 * The arguments of strace for a log that `parseTrace` can read: every thread, with file names. The tracer
 * runs as a detached process (`-D`), so that signals reach the traced process directly.
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

const WRITE_PATTERN = /^(?:write|writev|pwrite64|pwritev|sendmsg|sendto)\(\d+<([^>]*)>, (.*)$/s;
const SYNC_PATTERN = /^(?:fdatasync|fsync)\(\d+<([^>]*)>/;
const RESUMED_SYNC_PATTERN = /^<\.\.\. (?:fdatasync|fsync) resumed>/;

/**
 * Parses an strace log. The position of a write is its start, the position of a sync its end, so that no
 * interleaving of threads makes a sync look too early.
 */
export function parseTrace(log: string): readonly TracedCall[] {
  const pendingSyncPaths = new Map<string, string>();
  return log.split("\n").flatMap((line): TracedCall[] => {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const write = WRITE_PATTERN.exec(call);
    if (write !== null) return [{ kind: "write", path: write[1] ?? "", text: write[2] ?? "" }];
    const sync = SYNC_PATTERN.exec(call);
    if (sync !== null && call.includes("<unfinished")) {
      pendingSyncPaths.set(thread, sync[1] ?? "");
      return [];
    }
    if (sync !== null && call.endsWith("= 0")) return [{ kind: "synced", path: sync[1] ?? "" }];
    if (!RESUMED_SYNC_PATTERN.test(call) || !call.endsWith("= 0")) return [];
    return [{ kind: "synced", path: pendingSyncPaths.get(thread) ?? "" }];
  });
}

/** Positions in the trace of an id's first write, its sync to disk, and the response to the caller. */
export interface TracePositions {
  readonly written: number;
  readonly synced: number;
  readonly responded: number;
}

/**
 * Returns the positions in the trace at which an id was written to the write-ahead log, synced, and returned to
 * the caller with status 200; -1 if that did not happen.
 */
export function findTracePositions(calls: readonly TracedCall[], id: string): TracePositions {
  const isLog = ({ path }: TracedCall) => path.endsWith("-wal");
  const written = calls.findIndex(
    (call) => call.kind === "write" && isLog(call) && call.text.includes(id),
  );
  const synced = calls.findIndex(
    (call, index) => written !== -1 && index > written && call.kind === "synced" && isLog(call),
  );
  const responded = calls.findIndex(
    (call) => call.kind === "write" && call.text.includes("HTTP/1.1 200") && call.text.includes(id),
  );
  return { written, synced, responded };
}

const READS_MAX = 200;
const READ_INTERVAL_MS = 25;

/** Reads the log at `path` when the tracer has logged the end of process `pid`. */
export async function readTrace(path: string, pid: number): Promise<string> {
  const endLine = new RegExp(`^${pid} +\\+\\+\\+ (?:exited|killed)`, "m");
  for (let attempt = 0; attempt < READS_MAX; attempt += 1) {
    const log = await readFile(path, "utf8");
    if (endLine.test(log)) return log;
    await new Promise((resolve) => setTimeout(resolve, READ_INTERVAL_MS));
  }
  throw new Error("The tracer has not finished.");
}
