import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { InspectionReport } from "./inspect-process.ts";
import { compareSteps, type Steps } from "./migration.ts";

/** Result of the inspection of a SQLite file. */
export type Inspection =
  | { readonly kind: "missing" }
  | { readonly kind: "sound"; readonly steps: Steps }
  | { readonly kind: "damaged" }
  /** `code` is SQLite's extended result code. */
  | { readonly kind: "unreadable"; readonly code: number | null }
  /** The timeout ended before the whole file was read. */
  | { readonly kind: "unfinished" };

const INSPECTION_TIMEOUT_MS = 20_000;
const PROCESS = fileURLToPath(new URL("./inspect-process.ts", import.meta.url));

/**
 * Checks the file at `path` for damage without changing it. A server may use it meanwhile. SQLite cannot interrupt a
 * check, so it runs in a separate process, which is killed at the timeout.
 */
export async function inspectSqlite(path: string, signal: AbortSignal): Promise<Inspection> {
  if (!(await exists(path))) return { kind: "missing" };
  try {
    const options = { signal, timeout: INSPECTION_TIMEOUT_MS, killSignal: "SIGKILL" } as const;
    const { stdout } = await promisify(execFile)(process.execPath, [PROCESS, path], options);
    return toInspection(JSON.parse(stdout) as InspectionReport); // Written by inspect-process.ts.
  } catch (error) {
    if (error instanceof Error && "killed" in error && error.killed === true) {
      return { kind: "unfinished" };
    }
    if (signal.aborted) return { kind: "unfinished" };
    throw error;
  }
}

/** Primary result codes CORRUPT 11 and NOTADB 26: sqlite.org/rescode.html. */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

function toInspection(report: InspectionReport): Inspection {
  if (report.kind === "refused") {
    const { code } = report;
    return DAMAGED.has((code ?? 0) & 0xff) ? { kind: "damaged" } : { kind: "unreadable", code };
  }
  if (!report.isSound) return { kind: "damaged" };
  return { kind: "sound", steps: compareSteps(report.steps) };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    // SQLite reports any other reason why the file cannot be read.
    return !(error instanceof Error && "code" in error && error.code === "ENOENT");
  }
}
