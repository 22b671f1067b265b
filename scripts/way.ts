// npm run way                      traces one notification from an API key to one browser: the files and functions of
//                                  server/src that it enters, and the commits on SQLite
// npm run way -- --functions       also lists the functions, by path:line:column
// npm run way -- --write           also draws the files in ARCHITECTURE.md
// npm run way -- --json            prints everything as JSON
import { ManualScope } from "../server/test/support/scope.ts";
import { getFilePath } from "../server/test/way/entries.ts";
import { updateDiagram } from "../server/test/way/architecture-diagram.ts";
import { traceNotification, type Trace } from "../server/test/way/trace.ts";

const args = process.argv.slice(2);
const scope = new ManualScope();
try {
  const trace = await traceNotification(scope);
  if (args.includes("--json")) console.log(JSON.stringify(trace));
  else printTrace(trace);
  if (args.includes("--write")) updateDiagram(trace.files);
} finally {
  await scope.end();
}

function printTrace({ files, functions, commits }: Trace): void {
  const shouldListFunctions = args.includes("--functions");
  for (const file of files) {
    const enteredFunctions = functions.filter((position) => getFilePath(position) === file);
    console.log(`${String(enteredFunctions.length).padStart(4)} ${file}`);
    if (shouldListFunctions)
      for (const position of enteredFunctions) console.log(`       ${position}`);
  }
  console.log(`${files.length} files, ${functions.length} functions, ${commits} commits`);
}
