// npm run house                measures the structure of the code, next to its first value and its goal
// npm run house -- --quick     skips the path of a notification, which needs a server and some seconds
// npm run house -- --json      prints the figures as JSON
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ManualScope } from "../server/test/support/scope.ts";
import { traceNotification, type Trace } from "../server/test/code-path/trace.ts";
import { ROOT, listSourceFiles } from "./files.ts";
import { readHistory } from "./house/history.ts";
import { mapPackageFiles } from "./house/rooms.ts";
import { measureHistory, measureSources, toCodePathRows, formatTable } from "./house/rows.ts";
import { readManifests } from "./packages.ts";
import { readSources } from "./source.ts";

const args = process.argv.slice(2);
const sources = readSources(listSourceFiles(), (path) => readFileSync(join(ROOT, path), "utf8"));
const rows = [
  ...toCodePathRows(args.includes("--quick") ? null : await measureCodePath()),
  ...measureSources(sources, mapPackageFiles(readManifests())),
  ...measureHistory(readHistory()),
];
if (args.includes("--json")) console.log(JSON.stringify(rows));
else for (const line of formatTable(rows)) console.log(line);

async function measureCodePath(): Promise<Trace> {
  const scope = new ManualScope();
  try {
    return await traceNotification(scope);
  } finally {
    await scope.end();
  }
}
