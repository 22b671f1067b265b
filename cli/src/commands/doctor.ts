import { examine } from "@tocsin/server/doctor.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { DOCTOR } from "../descriptions/operators.ts";
import { sanitize, type Style, type Terminal } from "../terminal.ts";

/** The result of one check. */
type Finding = ReturnType<typeof examine> extends AsyncIterable<infer T> ? T : never;

type DoctorOverrides = Omit<Parameters<typeof examine>[0], "now" | "elapsed" | "random">;

const elapsed = () => performance.now();

/** Returns the command with overrides for tests. */
export function createDoctor(overrides: DoctorOverrides): Command {
  return async (args, terminal) => {
    const { values } = parseOptions({ args, options: DOCTOR.options });
    const findings = examine({ now: Date.now, elapsed, random: Math.random, ...overrides });
    const report = values.json === true ? reportJson : reportLines;
    return (await report(findings, terminal)) ? EXIT.ok : EXIT.failed;
  };
}

/** Checks what the server needs: `tocsin doctor`. */
export const doctorCommand = createDoctor({});

/** Prints one JSON document at the end; returns whether no check failed. */
async function reportJson(findings: AsyncIterable<Finding>, terminal: Terminal) {
  const checks = await Array.fromAsync(findings);
  const success = countByStatus(checks, "fail") === 0;
  terminal.printJson({ success, checks });
  return success;
}

/** Prints each result as soon as it is available; returns whether no check failed. */
async function reportLines(findings: AsyncIterable<Finding>, terminal: Terminal) {
  const printed: Finding[] = [];
  for await (const finding of findings) {
    printFinding(finding, terminal);
    printed.push(finding);
  }
  const counts = (["ok", "warn", "fail"] as const).map((status) => {
    return `${countByStatus(printed, status)} ${status}`;
  });
  terminal.print(`\n${counts.join(", ")}`);
  return countByStatus(printed, "fail") === 0;
}

function printFinding(
  { subject, status, message, mend: remedy }: Finding,
  { print, style }: Terminal,
): void {
  const label = style(STYLES[status], status.padEnd(STATUS_WIDTH));
  print(`${label}  ${style("bold", subject.padEnd(SUBJECT_WIDTH))}  ${sanitize(message)}`);
  if (remedy !== null) print(`${" ".repeat(REMEDY_INDENT)}${sanitize(remedy)}`);
}

const STYLES: Readonly<Record<Finding["status"], Style>> = {
  ok: "green",
  warn: "yellow",
  fail: "red",
};
const STATUS_WIDTH = 4;
/** The length of the longest subject, `apns production`. */
const SUBJECT_WIDTH = 15;
const REMEDY_INDENT = STATUS_WIDTH + SUBJECT_WIDTH + 4;

function countByStatus(findings: readonly Finding[], status: Finding["status"]): number {
  return findings.filter((finding) => finding.status === status).length;
}
