// npm run way                      measures the way of one notification by key to one browser: files and functions of
//                                  server/src that it enters, and commits on SQLite
// npm run way -- --functions       and lists the functions, by path:line:column
// npm run way -- --write           and draws the files in ARCHITECTURE.md
// npm run way -- --json            prints all of it as JSON
import { ManualScope } from "../server/test/support/scope.ts";
import { fileOf } from "../server/test/way/entries.ts";
import { updateDiagram } from "../server/test/way/page.ts";
import { traceNotification, type Trace } from "../server/test/way/trace.ts";

const args = process.argv.slice(2);
const scope = new ManualScope();
try {
  const trace = await traceNotification(scope);
  if (args.includes("--json")) console.log(JSON.stringify(trace));
  else tell(trace);
  if (args.includes("--write")) updateDiagram(trace.files);
} finally {
  await scope.end();
}

function tell({ files, functions, commits }: Trace): void {
  const hasAll = args.includes("--functions");
  for (const file of files) {
    const own = functions.filter((place) => fileOf(place) === file);
    console.log(`${String(own.length).padStart(4)} ${file}`);
    if (hasAll) for (const place of own) console.log(`       ${place}`);
  }
  console.log(`${files.length} files, ${functions.length} functions, ${commits} commits`);
}
