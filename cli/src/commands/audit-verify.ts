import { verifyAudit, type AuditReport } from "@tocsin/server/operator/audit.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { AUDIT_VERIFY } from "../descriptions/operators.ts";
import { operate, operatorConfig } from "../operator-command.ts";

const FAULTS: Readonly<Record<AuditReport["faults"][number]["fault"], string>> = {
  changed: "events were changed, added or taken away after it was sealed, or its seal was",
  unsealed: "has no seal: nothing vouches for its events",
  address: "a network address is not the one that was recorded",
};

/** `tocsin audit verify`. */
export const auditVerify: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: AUDIT_VERIFY.options });
  const config = operatorConfig();
  const report = await operate(config, () => verifyAudit({ config, now: Date.now }));
  const success = report.faults.length === 0;
  if (values.json === true) terminal.printJson({ success, ...report });
  else for (const line of linesOf(report)) terminal.print(line);
  return success ? EXIT.ok : EXIT.failed;
};

function linesOf({ faults, last, sealedDays, events }: AuditReport): readonly string[] {
  const sealed =
    last === null
      ? "No day is sealed yet."
      : `Sealed: ${sealedDays} ${sealedDays === 1 ? "day" : "days"}, with ${events} events that are kept. The last is ${last.day}:`;
  return [
    ...faults.map(({ day, fault }) => `${day}  ${FAULTS[fault]}`),
    sealed,
    ...(last === null ? [] : [last.digest]),
  ];
}
