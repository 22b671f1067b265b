// npm run security                         runs every bar of docs/security.md in full, and prints the results
// npm run security -- S6 S9                runs only these bars
// npm run security -- S6 --short           runs the short form of `npm run attacks`
// npm run security -- S6 --broken          runs with the defect that must turn the bar red
// npm run security -- S6 --write           also writes its row in docs/security.md, after a full run in which the bar holds
//
// Exits with 0 if every bar holds; with --broken, if every defect was noticed.
import { BARS } from "../server/test/attacks/bars.ts";
import { FIGURE_PREFIX, FULL_VARIABLE, type Bar } from "../server/test/attacks/bar.ts";
import { toProcessOptions } from "../server/test/campaigns/defect.ts";
import { run } from "./child.mjs";
import { ROOT } from "./files.ts";
import { writeBarRow } from "./security-page.ts";

const args = process.argv.slice(2);
const flags = new Set(args.filter((arg) => arg.startsWith("--")));
const barIds = args.filter((arg) => !arg.startsWith("--")).map((id) => id.toUpperCase());
const unknownIds = barIds.filter((id) => !BARS.some((bar) => bar.id === id));
const IS_BROKEN = flags.has("--broken");
const IS_SHORT = flags.has("--short");
/** The time limit of a bar in full. */
const BAR_TIMEOUT_MS = 30 * 60_000;

if (unknownIds.length > 0)
  fail(`There is no bar ${unknownIds.join(", ")}. The bars are S1 to S${BARS.length}.`);
else for (const bar of BARS) if (barIds.length === 0 || barIds.includes(bar.id)) await runBar(bar);

async function runBar(bar: Bar): Promise<void> {
  if (IS_BROKEN && bar.defect === null) {
    console.log(`${bar.id}: its tests already include defects, so there is none to add.`);
    return;
  }
  if (IS_BROKEN) console.log(`${bar.id}, broken on purpose: ${bar.defect?.mistake}.`);
  const { code, output } = await runTests(bar);
  const figures = parseFigures(output);
  if (IS_BROKEN) {
    reportDefect(bar, { isRed: code !== 0, output });
    return;
  }
  // If all tests are skipped, nothing was attacked.
  const hasRunTests = !/^ℹ pass 0$/m.test(output);
  const status = code !== 0 ? "BROKEN" : hasRunTests ? "holds" : "NOT RUN";
  console.log(`${bar.id} ${status}: ${bar.attack}`);
  for (const figure of figures) console.log(`- ${figure}`);
  // Each skipped test prints its reason.
  for (const [line] of output.matchAll(/^﹣ .*$/gm)) console.log(line);
  if (code !== 0) fail(output);
  else if (!hasRunTests) process.exitCode = 1;
  else if (flags.has("--write") && !IS_SHORT) writeBarRow(BARS, { bar, figures });
}

async function runTests({ files, database, defect }: Bar) {
  const kind = files.some((file) => file.endsWith(".journey.ts"))
    ? ["journeys"]
    : toEngineArguments(database);
  const injected = toProcessOptions(IS_BROKEN ? defect : null);
  const options = [process.env["NODE_OPTIONS"] ?? "", ...injected.flags].join(" ").trim();
  return run(process.execPath, ["scripts/test.ts", ...kind, ...files], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...injected.environment,
      ...(IS_SHORT ? {} : { [FULL_VARIABLE]: "full" }),
      NODE_OPTIONS: options,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: BAR_TIMEOUT_MS,
  });
}

function toEngineArguments(database: Bar["database"]): readonly string[] {
  return database === "both" ? [] : [`--on=${database}`];
}

/** Reports whether the tests noticed the defect. A failure for another reason does not prove that they did. */
function reportDefect({ id, defect }: Bar, { isRed, output }: BarResult): void {
  const isNoticed = isRed && defect?.breaks.test(output) === true;
  console.log(`${id}: ${isNoticed ? "red, as it must be" : "THE DEFECT WAS NOT NOTICED"}.`);
  if (!isNoticed) fail(output);
}

/** The result of the tests of a bar. */
interface BarResult {
  readonly isRed: boolean;
  readonly output: string;
}

function parseFigures(output: string): readonly string[] {
  const lines = output.split("\n").filter((line) => line.includes(FIGURE_PREFIX));
  return [
    ...new Set(
      lines.map((line) => line.slice(line.indexOf(FIGURE_PREFIX) + FIGURE_PREFIX.length).trim()),
    ),
  ];
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
