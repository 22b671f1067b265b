import { exportAudit } from "@tocsin/server/operator/audit.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { AUDIT_EXPORT } from "../descriptions/operators.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";
import { parseTime } from "../time-option.ts";

/** The latest time that an id can contain: 48 bits of milliseconds (RFC 9562 section 5.7). */
const ID_TIME_MAX_MS = 2 ** 48 - 1;

/** Prints the audit log as lines of JSON: `tocsin audit export`. */
export const auditExportCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: AUDIT_EXPORT.options });
  const now = Date.now();
  const from =
    parseTime(values.since, { optionName: "--since", now, durationDirection: "ago" }) ?? 0;
  const to =
    parseTime(values.until, { optionName: "--until", now, durationDirection: "ago" }) ??
    ID_TIME_MAX_MS;
  const config = readOperatorConfig();
  const range = { from, to, onEvent: terminal.printJsonLine };
  await runAsOperator(config, () => exportAudit({ config, now: Date.now }, range));
  return EXIT.ok;
};
