// npm run code-path                 traces one notification from an API key to one browser: the files and functions of
//                                   server/src that it enters, and the commits on SQLite
// npm run code-path -- --functions  also lists the functions, by path:line:column
// npm run code-path -- --write      also draws the files in ARCHITECTURE.md
// npm run code-path -- --json       prints everything as JSON
import { ManualScope } from "../server/test/support/scope.ts";
import { getFilePath } from "../server/test/code-path/common-path.ts";
import { updateDiagram } from "../server/test/code-path/architecture-diagram.ts";
import { traceNotification, type Trace } from "../server/test/code-path/trace.ts";

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
