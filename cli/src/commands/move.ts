import { moveServer } from "@tocsin/server/operator/move-server.ts";
import { parseDatabaseLocation } from "@tocsin/server/operator/database-location.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { MOVE } from "../descriptions/operators.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";
import type { Terminal } from "../terminal.ts";

const KEY_NOT_MOVED =
  "was not moved: it is in your settings, or in the file master-key beside the SQLite file. Keep it, and give it to every server that starts on the target: TOCSIN_MASTER_KEY_FILE.";

/** Copies all data of a server from SQLite to PostgreSQL, or back: `tocsin move`. */
export const moveCommand: Command = async (args, terminal) => {
  const { from, to, isResumed, isJson } = parseMoveOptions(args);
  const onProgress = isJson ? terminal.printJsonLine : createProgressPrinter(terminal);
  const input = { from, to, isResumed, now: Date.now, onProgress };
  const { tables, keyId } = await runAsOperator(readOperatorConfig(), () => moveServer(input));
  if (isJson) {
    terminal.printJsonLine({ success: true, tables, keyId });
    return EXIT.ok;
  }
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  terminal.print(`Moved: ${rows} rows in ${tables.length} tables, equal on both sides.`);
  if (keyId !== null) terminal.printNote(`Its master key, ${keyId}, ${KEY_NOT_MOVED}`);
  return EXIT.ok;
};

function parseMoveOptions(args: readonly string[]) {
  const { values } = parseOptions({ args, options: MOVE.options });
  const { resume = false, json = false } = values;
  const from = requireLocation("--from", values.from);
  const to = requireLocation("--to", values.to);
  return { from, to, isResumed: resume, isJson: json };
}

function requireLocation(option: string, text = "") {
  const location = parseDatabaseLocation(text);
  if (location !== null) return location;
  throw usageError(`Give ${option} sqlite:PATH or postgres://USER@HOST/DATABASE.`);
}

type Progress = Parameters<Parameters<typeof moveServer>[0]["onProgress"]>[0];

/**
 * Returns a function that updates one line while a table is copied or compared, and keeps the line unless the table is
 * empty.
 */
function createProgressPrinter(terminal: Terminal): (progress: Progress) => void {
  return ({ phase, table, rows, total }) => {
    const verb = phase === "copy" ? "Copying" : "Comparing";
    const line = `${verb} ${table}: ${rows} of ${total}`;
    if (rows < total) terminal.showProgress(line);
    else if (total > 0) terminal.printNote(line);
  };
}
