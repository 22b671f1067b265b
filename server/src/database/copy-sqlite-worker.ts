/** The thread that copies a SQLite file, so that a signal to the process is heard meanwhile. */
import { workerData } from "node:worker_threads";
import { copySqlite } from "./copy-sqlite.ts";

// Each thread tells of itself in what Node writes of a crash; the environment holds secrets.
process.report.excludeEnv = true;

const { path, copy } = workerData as { path: string; copy: string }; // Set by copy-sqlite-apart.ts alone.
copySqlite(path, copy);
