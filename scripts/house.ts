// npm run house                measures how the code is built, beside where it stood and where it is to come
// npm run house -- --quick     without the way of a notification, which takes a server and some seconds
// npm run house -- --json      prints it as JSON
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ManualScope } from "../server/test/support/scope.ts";
import { traceNotification, type Trace } from "../server/test/way/trace.ts";
import { ROOT, sourceFiles } from "./files.ts";
import { readHistory } from "./house/history.ts";
import { packageFiles } from "./house/rooms.ts";
import { rowsOfHistory, rowsOfSources, rowsOfWay, tableOf } from "./house/rows.ts";
import { readManifests } from "./packages.ts";
import { readSources } from "./source.ts";

const args = process.argv.slice(2);
const sources = readSources(sourceFiles(), (path) => readFileSync(join(ROOT, path), "utf8"));
const rows = [
  ...rowsOfWay(args.includes("--quick") ? null : await measureWay()),
  ...rowsOfSources(sources, packageFiles(readManifests())),
  ...rowsOfHistory(readHistory()),
];
if (args.includes("--json")) console.log(JSON.stringify(rows));
else for (const line of tableOf(rows)) console.log(line);

async function measureWay(): Promise<Trace> {
  const scope = new ManualScope();
  try {
    return await traceNotification(scope);
  } finally {
    await scope.end();
  }
}
