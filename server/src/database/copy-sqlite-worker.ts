/** The thread that copies a SQLite file, so that the process can handle signals meanwhile. */
import { workerData } from "node:worker_threads";
import { copySqlite } from "./copy-sqlite.ts";

// Each thread contributes to Node's crash reports, and the environment holds secrets.
process.report.excludeEnv = true;

// Set only by copy-sqlite-in-thread.ts.
const { sourcePath, copyPath } = workerData as { sourcePath: string; copyPath: string };
copySqlite(sourcePath, copyPath);
