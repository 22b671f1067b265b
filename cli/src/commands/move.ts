import { moveServer } from "@tocsin/server/operator/move-server.ts";
import { parsePlace } from "@tocsin/server/operator/place.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { operate, operatorConfig } from "../operator-command.ts";
import type { Terminal } from "../terminal.ts";

const HELP = `Usage: tocsin move --from URL --to URL [--resume] [--json]

Moves everything of a server, its secrets too, from SQLite to PostgreSQL or back. Stop the
server first. The source keeps all it has, but its tables are brought to this version.

  tocsin move --from sqlite:data/tocsin.db --to postgres://tocsin@localhost/tocsin

  --from URL   sqlite:PATH or postgres://USER@HOST/DATABASE
  --to URL     the other one; it must be empty
  --resume     go on with a move that was broken off
  --json       print a line of JSON for each batch, {"phase", "table", "rows", "total"},
               and one at the end, {"success", "tables": [{"table", "rows", "checksum"}]}

A password is read from PGPASSWORD where the URL has none. In the end both are read again
and compared, table by table. Until then no server starts on the target.

Exit codes: 0 moved and equal, 1 not moved, 2 wrong usage.`;

/** `tocsin move`. */
export const move: Command = {
  help: HELP,
  async run(args, terminal) {
    const { from, to, isResumed, isJson } = parse(args);
    const onProgress = isJson ? terminal.printJsonLine : progressOn(terminal);
    const input = { from, to, isResumed, now: Date.now, onProgress };
    const tables = await operate(operatorConfig(), () => moveServer(input));
    if (isJson) {
      terminal.printJsonLine({ success: true, tables });
      return EXIT.ok;
    }
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    terminal.print(`Moved: ${rows} rows in ${tables.length} tables, equal on both sides.`);
    return EXIT.ok;
  },
};

function parse(args: readonly string[]) {
  const { values } = parseOptions({
    args,
    options: {
      from: { type: "string" },
      to: { type: "string" },
      resume: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const [from, to] = [placeOf("--from", values.from), placeOf("--to", values.to)];
  return { from, to, isResumed: values.resume, isJson: values.json };
}

function placeOf(option: string, text = "") {
  const place = parsePlace(text);
  if (place !== null) return place;
  throw usageError(`Give ${option} sqlite:PATH or postgres://USER@HOST/DATABASE.`);
}

type Progress = Parameters<Parameters<typeof moveServer>[0]["onProgress"]>[0];

/** One line that changes, and one that stays for each table with rows. */
function progressOn(terminal: Terminal): (progress: Progress) => void {
  return ({ phase, table, rows, total }) => {
    const verb = phase === "copy" ? "Copying" : "Comparing";
    const line = `${verb} ${table}: ${rows} of ${total}`;
    if (rows < total) terminal.progress(line);
    else if (total > 0) terminal.note(line);
  };
}
