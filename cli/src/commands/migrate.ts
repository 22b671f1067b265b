import { migrateDatabase } from "@tocsin/server/operator/migrate-database.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { MIGRATE } from "../descriptions/operators.ts";
import { runAsOperator, readOperatorConfig } from "../operator-command.ts";

/** Upgrades the tables of the database to this version: `tocsin migrate`. */
export const migrateCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: MIGRATE.options });
  const config = readOperatorConfig();
  const steps = await runAsOperator(config, () => migrateDatabase({ config, now: Date.now }));
  if (values.json === true) terminal.printJson({ steps });
  else if (steps.length === 0) terminal.print("Up to date.");
  else for (const step of steps) terminal.print(step);
  return EXIT.ok;
};
