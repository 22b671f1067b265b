/** The thread that copies a SQLite file, so that the process still handles signals meanwhile. */
import { workerData } from "node:worker_threads";
import { copySqlite } from "./copy-sqlite.ts";

// Each thread contributes to Node's crash reports, and the environment holds secrets.
process.report.excludeEnv = true;

const { path, copy } = workerData as { path: string; copy: string }; // Set only by copy-sqlite-apart.ts.
copySqlite(path, copy);
