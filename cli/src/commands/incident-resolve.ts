import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { INCIDENT_RESOLVE } from "../descriptions/incidents.ts";
import { openIncidentAccess } from "../incident/access.ts";
import { printActed } from "../incident/format.ts";
import { parseIncidentNames } from "../incident/name.ts";

/** Resolves an incident: `tocsin incident resolve`. */
export const incidentResolveCommand: Command = async (args, terminal) => {
  const { options } = INCIDENT_RESOLVE;
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const incidentKey = values["incident-key"];
  const [name, ...more] = parseIncidentNames(positionals, incidentKey);
  if (name === undefined || more.length > 0) throw usageError("Give the ID of one incident.");
  const needsKey = incidentKey !== undefined;
  const { actor, client } = await openIncidentAccess({ connection: values, needsKey }, terminal);
  const acted =
    actor === "key" || name.incidentId === undefined
      ? await client.receipts.resolve(name)
      : await client.incidents.resolve(name.incidentId);
  if (values.json === true) terminal.printJson(acted);
  else printActed(terminal, acted);
  return EXIT.ok;
};
