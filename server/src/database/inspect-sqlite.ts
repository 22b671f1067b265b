import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { InspectorOutput } from "./inspect-sqlite-process.ts";
import { compareMigrations, type MigrationStatus } from "./migration.ts";

/** The result of the inspection of a SQLite file. */
export type SqliteInspection =
  | { readonly kind: "missing" }
  | { readonly kind: "sound"; readonly migrations: MigrationStatus }
  | { readonly kind: "damaged" }
  /** `code` is SQLite's extended result code. */
  | { readonly kind: "unreadable"; readonly code: number | null }
  /** The check was aborted or timed out before it had read the whole file. */
  | { readonly kind: "unfinished" };

const INSPECTION_TIMEOUT_MS = 20_000;
const INSPECTOR_PATH = fileURLToPath(new URL("./inspect-sqlite-process.ts", import.meta.url));

/**
 * Checks the file at `path` for damage, and changes nothing. A server may use the file at the same time. SQLite cannot
 * interrupt a check, so the check runs in a separate process, which is killed at the timeout.
 */
export async function inspectSqlite(path: string, signal: AbortSignal): Promise<SqliteInspection> {
  if (!(await fileExists(path))) return { kind: "missing" };
  try {
    const options = { signal, timeout: INSPECTION_TIMEOUT_MS, killSignal: "SIGKILL" } as const;
    const { stdout } = await promisify(execFile)(process.execPath, [INSPECTOR_PATH, path], options);
    // inspect-sqlite-process.ts prints this format.
    return toInspection(JSON.parse(stdout) as InspectorOutput);
  } catch (error) {
    if (error instanceof Error && "killed" in error && error.killed === true) {
      return { kind: "unfinished" };
    }
    if (signal.aborted) return { kind: "unfinished" };
    throw error;
  }
}

/** The primary result codes CORRUPT (11) and NOTADB (26): sqlite.org/rescode.html. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([11, 26]);

function toInspection(output: InspectorOutput): SqliteInspection {
  if (output.kind === "refused") {
    const { code } = output;
    return DAMAGE_CODES.has((code ?? 0) & 0xff)
      ? { kind: "damaged" }
      : { kind: "unreadable", code };
  }
  if (!output.isSound) return { kind: "damaged" };
  return { kind: "sound", migrations: compareMigrations(output.migrations) };
}

async function fileExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    // SQLite reports any other reason why the file cannot be read.
    return !(error instanceof Error && "code" in error && error.code === "ENOENT");
  }
}
