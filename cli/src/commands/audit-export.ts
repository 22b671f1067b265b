import { parseMoment } from "@tocsin/server/moment.ts";
import { exportAudit } from "@tocsin/server/operator/audit.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { AUDIT_EXPORT } from "../descriptions/operators.ts";
import { operate, operatorConfig } from "../operator-command.ts";

/** The latest moment that an id can have: 48 bits of milliseconds. */
const END_OF_TIME = 2 ** 48 - 1;

/** `tocsin audit export`. */
export const auditExport: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: AUDIT_EXPORT.options });
  const from = momentOf("--since", values.since) ?? 0;
  const to = momentOf("--until", values.until) ?? END_OF_TIME;
  const config = operatorConfig();
  const range = { from, to, onEvent: terminal.printJsonLine };
  await operate(config, () => exportAudit({ config, now: Date.now }, range));
  return EXIT.ok;
};

function momentOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = parseMoment(text);
  if (time !== null) return time;
  throw usageError(`Give ${option} as 2026-01-31 or 2026-01-31T12:00:00Z.`);
}
