import { migrateDatabase } from "@tocsin/server/operator/migrate-database.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { operate, operatorConfig } from "../operator-command.ts";

const HELP = `Usage: tocsin migrate [--json]

Brings the tables of the database to this version and prints the steps that were taken. It
is TOCSIN_DATABASE_URL, or SQLite in TOCSIN_DATA_DIR; a server does the same at its start.
It may run twice at once, and while servers of the version before run on PostgreSQL.

  --json   print {"steps"}

Exit codes: 0 the tables are up to date, 1 they are not, 2 wrong usage.`;

/** `tocsin migrate`. */
export const migrate: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseOptions({ args, options: { json: { type: "boolean" } } });
    const config = operatorConfig();
    const steps = await operate(config, () => migrateDatabase({ config, now: Date.now }));
    if (values.json === true) terminal.printJson({ steps });
    else if (steps.length === 0) terminal.print("Up to date.");
    else for (const step of steps) terminal.print(step);
    return EXIT.ok;
  },
};
