// npm run security                         runs every bar of docs/security.md in full, and prints its table
// npm run security -- S6 S9                runs these
// npm run security -- S6 --short           as small as in `npm run attacks`
// npm run security -- S6 --broken          with the defect that must turn it red
// npm run security -- S6 --write           and puts its row into docs/security.md, where it holds
//
// Ends with 0 where every bar holds, and with --broken where every defect was noticed.
import { BARS } from "../server/test/bars/bars.ts";
import { FIGURE, FULL_VARIABLE, type Bar } from "../server/test/bars/bar.ts";
import { withDefect } from "../server/test/campaigns/defect.ts";
import { run } from "./child.mjs";
import { ROOT } from "./files.ts";
import { writeRow } from "./security-page.ts";

const args = process.argv.slice(2);
const flags = new Set(args.filter((arg) => arg.startsWith("--")));
const ids = args.filter((arg) => !arg.startsWith("--")).map((id) => id.toUpperCase());
const unknown = ids.filter((id) => !BARS.some((bar) => bar.id === id));
const IS_BROKEN = flags.has("--broken");
const IS_SHORT = flags.has("--short");
/** A bar in full. */
const LIMIT_MS = 30 * 60_000;

if (unknown.length > 0)
  fail(`There is no bar ${unknown.join(", ")}: they are S1 to S${BARS.length}.`);
else for (const bar of BARS) if (ids.length === 0 || ids.includes(bar.id)) await runBar(bar);

async function runBar(bar: Bar): Promise<void> {
  if (IS_BROKEN && bar.defect === null) {
    console.log(`${bar.id}: its tests break their own copies.`);
    return;
  }
  if (IS_BROKEN) console.log(`${bar.id}, broken on purpose: ${bar.defect?.mistake}.`);
  const { code, output } = await runTests(bar);
  const figures = figuresIn(output);
  if (IS_BROKEN) {
    judgeDefect(bar, { isRed: code !== 0, output });
    return;
  }
  // Where all is skipped, nothing was attacked.
  const isRun = !/^ℹ pass 0$/m.test(output);
  const verdict = code !== 0 ? "BROKEN" : isRun ? "holds" : "NOT RUN";
  console.log(`${bar.id} ${verdict}: ${bar.attack}`);
  for (const figure of figures) console.log(`- ${figure}`);
  // Skipped tests give their reason.
  for (const [line] of output.matchAll(/^﹣ .*$/gm)) console.log(line);
  if (code !== 0) fail(output);
  else if (!isRun) process.exitCode = 1;
  else if (flags.has("--write") && !IS_SHORT) writeRow(BARS, { bar, figures });
}

async function runTests({ files, on, defect }: Bar) {
  const kind = files.some((file) => file.endsWith(".journey.ts")) ? ["journeys"] : engineOf(on);
  const broken = withDefect(IS_BROKEN ? defect : null);
  const options = [process.env["NODE_OPTIONS"] ?? "", ...broken.flags].join(" ").trim();
  return run(process.execPath, ["scripts/test.ts", ...kind, ...files], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...broken.environment,
      ...(IS_SHORT ? {} : { [FULL_VARIABLE]: "full" }),
      NODE_OPTIONS: options,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
  });
}

function engineOf(on: Bar["on"]): readonly string[] {
  return on === "both" ? [] : [`--on=${on}`];
}

/** Red for another reason proves nothing. */
function judgeDefect({ id, defect }: Bar, { isRed, output }: Judged): void {
  const isNoticed = isRed && defect?.breaks.test(output) === true;
  console.log(`${id}: ${isNoticed ? "red, as it must be" : "THE DEFECT WAS NOT NOTICED"}.`);
  if (!isNoticed) fail(output);
}

interface Judged {
  readonly isRed: boolean;
  readonly output: string;
}

function figuresIn(output: string): readonly string[] {
  const lines = output.split("\n").filter((line) => line.includes(FIGURE));
  return [...new Set(lines.map((line) => line.slice(line.indexOf(FIGURE) + FIGURE.length).trim()))];
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
