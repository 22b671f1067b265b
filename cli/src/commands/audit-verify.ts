import { createReadStream } from "node:fs";
import { verifyAudit, type AuditReport } from "@tocsin/server/operator/audit.ts";
import { CommandError, EXIT, parseOptions, type Command } from "../command.ts";
import { AUDIT_VERIFY } from "../descriptions/operators.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";

const FAULT_DESCRIPTIONS: Readonly<Record<AuditReport["faults"][number]["fault"], string>> = {
  changed: "its events or its seal were changed after the day was sealed",
  unsealed: "the day has no seal, so nothing proves that its events are unchanged",
  resealed: "the seal is not the one that the server logged: it was computed again or removed",
  address: "a network address is not the one that was recorded",
};

/** Checks whether the audit log was changed: `tocsin audit verify`. */
export const auditVerifyCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: AUDIT_VERIFY.options });
  const config = readOperatorConfig();
  const lines = values.log === undefined ? null : readLines(values.log);
  const report = await runAsOperator(config, () => verifyAudit({ config, now: Date.now }, lines));
  const success = report.faults.length === 0;
  if (values.json === true) terminal.printJson({ success, ...report });
  else for (const line of formatReport(report)) terminal.print(line);
  return success ? EXIT.ok : EXIT.failed;
};

async function* readLines(path: string): AsyncGenerator<string, void> {
  let incompleteLine = "";
  try {
    for await (const chunk of createReadStream(path, "utf8")) {
      const lines = `${incompleteLine}${String(chunk)}`.split("\n");
      incompleteLine = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    const message = `${path} cannot be read. Give --log a file with lines of the server's log.`;
    throw new CommandError(message, { exit: "failed", code: "log_file", cause: error });
  }
  yield incompleteLine;
}

function formatReport(report: AuditReport): readonly string[] {
  const { faults, last, witnessedUntil, sealedDays, events } = report;
  const summary =
    last === null
      ? "No day is sealed yet."
      : `Sealed: ${sealedDays} ${sealedDays === 1 ? "day" : "days"}, with ${events} events that are kept. The last is ${last.day}:`;
  return [
    ...faults.map(({ day, fault }) => `${day}  ${FAULT_DESCRIPTIONS[fault]}`),
    summary,
    ...(last === null ? [] : [last.digest]),
    ...(last === null ? [] : [formatWitness(witnessedUntil)]),
  ];
}

function formatWitness(witnessedUntil: string | null): string {
  return witnessedUntil === null
    ? "No line of the server's log vouches for it. Compare it with the log that you keep elsewhere, with --log FILE."
    : `The server's log vouches for the days up to ${witnessedUntil}.`;
}
