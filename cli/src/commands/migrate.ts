import { migrateDatabase } from "@tocsin/server/operator/migrate-database.ts";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { MIGRATE } from "../descriptions/operators.ts";
import { operate, operatorConfig } from "../operator-command.ts";

/** `tocsin migrate`. */
export const migrate: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: MIGRATE.options });
  const config = operatorConfig();
  const steps = await operate(config, () => migrateDatabase({ config, now: Date.now }));
  if (values.json === true) terminal.printJson({ steps });
  else if (steps.length === 0) terminal.print("Up to date.");
  else for (const step of steps) terminal.print(step);
  return EXIT.ok;
};
