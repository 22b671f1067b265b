/** The thread that copies a SQLite file, so that the process still handles signals meanwhile. */
import { workerData } from "node:worker_threads";
import { copySqlite } from "./copy-sqlite.ts";

// Each thread contributes to Node's crash reports, and the environment holds secrets.
process.report.excludeEnv = true;

const { path, copyPath } = workerData as { path: string; copyPath: string }; // Set only by copy-sqlite-in-thread.ts.
copySqlite(path, copyPath);
