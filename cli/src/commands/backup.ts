import { resolve } from "node:path";
import { backup as makeBackup } from "@tocsin/server/operator/backup.ts";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { operate, operatorConfig } from "../operator-command.ts";

const HELP = `Usage: tocsin backup FOLDER [--json]

Makes a folder with a copy of the SQLite database in TOCSIN_DATA_DIR, as it is at this
moment, and with the server's secrets. The server may run meanwhile. The folder appears
when it is whole and checked, and holds a data folder: to restore it, run a server with
TOCSIN_DATA_DIR=FOLDER. Keep it as safe as the data folder itself.

  --json   print {"folder", "sizeBytes"}

On PostgreSQL nothing is made: the command of pg_dump is shown.

Exit codes: 0 made, 1 not made, 2 wrong usage.`;

/** `tocsin backup`. */
export const backup: Command = {
  help: HELP,
  async run(args, terminal) {
    const options = { json: { type: "boolean" } } as const;
    const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
    const [folder, ...more] = positionals;
    if (folder === undefined || folder === "" || more.length > 0) {
      throw usageError("Give one folder, which is not there yet.");
    }
    const config = operatorConfig();
    const made = await operate(config, () => makeBackup(config, resolve(folder)));
    if (values.json === true) terminal.printJson(made);
    else terminal.print(`${made.folder}  ${megabytes(made.sizeBytes)} MB`);
    return EXIT.ok;
  },
};

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
