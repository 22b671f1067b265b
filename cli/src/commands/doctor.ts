import { examine } from "@tocsin/server/doctor.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { DOCTOR } from "../descriptions/operators.ts";
import { plain, type Style, type Terminal } from "../terminal.ts";

/** One line of the examination. */
type Finding = ReturnType<typeof examine> extends AsyncIterable<infer T> ? T : never;

type Seams = Omit<Parameters<typeof examine>[0], "now" | "elapsed" | "random">;

const elapsed = () => performance.now();

/** Returns `tocsin doctor` with the given seams; only tests override any. */
export function createDoctor(seams: Seams): Command {
  return async (args, terminal) => {
    const { values } = parseOptions({ args, options: DOCTOR.options });
    const findings = examine({ now: Date.now, elapsed, random: Math.random, ...seams });
    const tell = values.json === true ? tellProgram : tellPerson;
    return (await tell(findings, terminal)) ? EXIT.ok : EXIT.failed;
  };
}

/** `tocsin doctor`. */
export const doctor = createDoctor({});

/** Prints one document at the end; returns whether nothing fails. */
async function tellProgram(findings: AsyncIterable<Finding>, terminal: Terminal) {
  const checks = await Array.fromAsync(findings);
  const success = countOf(checks, "fail") === 0;
  terminal.printJson({ success, checks });
  return success;
}

/** Prints each line as soon as it is known; returns whether nothing fails. */
async function tellPerson(findings: AsyncIterable<Finding>, terminal: Terminal) {
  const told: Finding[] = [];
  for await (const finding of findings) {
    print(finding, terminal);
    told.push(finding);
  }
  const counts = (["ok", "warn", "fail"] as const).map((status) => {
    return `${countOf(told, status)} ${status}`;
  });
  terminal.print(`\n${counts.join(", ")}`);
  return countOf(told, "fail") === 0;
}

function print({ subject, status, message, mend }: Finding, { print, style }: Terminal): void {
  const label = style(STYLES[status], status.padEnd(STATUS_WIDTH));
  print(`${label}  ${style("bold", subject.padEnd(SUBJECT_WIDTH))}  ${plain(message)}`);
  if (mend !== null) print(`${" ".repeat(MEND_INDENT)}${plain(mend)}`);
}

const STYLES: Readonly<Record<Finding["status"], Style>> = {
  ok: "green",
  warn: "yellow",
  fail: "red",
};
const STATUS_WIDTH = 4;
/** The longest is `apns production`. */
const SUBJECT_WIDTH = 15;
const MEND_INDENT = STATUS_WIDTH + SUBJECT_WIDTH + 4;

function countOf(findings: readonly Finding[], status: Finding["status"]): number {
  return findings.filter((finding) => finding.status === status).length;
}
