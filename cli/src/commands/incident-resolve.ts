import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { INCIDENT_RESOLVE } from "../descriptions/incidents.ts";
import { openIncidentAccess } from "../incident/access.ts";
import { printActResult } from "../incident/format.ts";
import { parseIncidentReferences } from "../incident/parse-incident-reference.ts";

/** Resolves an incident: `tocsin incident resolve`. */
export const incidentResolveCommand: Command = async (args, terminal) => {
  const { options } = INCIDENT_RESOLVE;
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const incidentKey = values["incident-key"];
  const [reference, ...more] = parseIncidentReferences(positionals, incidentKey);
  if (reference === undefined || more.length > 0) throw usageError("Give the ID of one incident.");
  const needsKey = incidentKey !== undefined;
  const { actor, client } = await openIncidentAccess({ connection: values, needsKey }, terminal);
  const resolved =
    actor === "key" || reference.incidentId === undefined
      ? await client.receipts.resolve(reference)
      : await client.incidents.resolve(reference.incidentId);
  if (values.json === true) terminal.printJson(resolved);
  else printActResult(terminal, resolved);
  return EXIT.ok;
};
