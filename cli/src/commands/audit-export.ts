import { exportAudit } from "@tocsin/server/operator/audit.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { AUDIT_EXPORT } from "../descriptions/operators.ts";
import { operate, operatorConfig } from "../operator-command.ts";
import { parseTime } from "../time-option.ts";

/** The latest time that an id can contain: 48 bits of milliseconds (RFC 9562 section 5.7). */
const ID_TIME_MAX_MS = 2 ** 48 - 1;

/** `tocsin audit export`. */
export const auditExport: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: AUDIT_EXPORT.options });
  const now = Date.now();
  const from = parseTime(values.since, { option: "--since", now, spans: "ago" }) ?? 0;
  const to = parseTime(values.until, { option: "--until", now, spans: "ago" }) ?? ID_TIME_MAX_MS;
  const config = operatorConfig();
  const range = { from, to, onEvent: terminal.printJsonLine };
  await operate(config, () => exportAudit({ config, now: Date.now }, range));
  return EXIT.ok;
};
