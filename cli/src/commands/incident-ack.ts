import type { ActedIncident, Client, IncidentReceipt, IncidentReference } from "@tocsin/sdk";
import { EXIT, parseOptions, usageError, type Command } from "../command.ts";
import { INCIDENT_ACK } from "../descriptions/incidents.ts";
import { openIncidentAccess } from "../incident/access.ts";
import { printActResult } from "../incident/format.ts";
import { parseIncidentReferences } from "../incident/parse-incident-reference.ts";

/** Acknowledges incidents: `tocsin incident ack`. */
export const incidentAckCommand: Command = async (args, terminal) => {
  const { options } = INCIDENT_ACK;
  const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
  const incidentKey = values["incident-key"];
  const references = parseIncidentReferences(positionals, incidentKey);
  const needsKey = incidentKey !== undefined;
  const { actor, client } = await openIncidentAccess({ connection: values, needsKey }, terminal);
  const { items, unknown } =
    actor === "key"
      ? await acknowledgeByKey(client, references)
      : await acknowledgeAsPerson(client, references);
  const success = unknown.length === 0;
  if (values.json === true) terminal.printJson({ success, items, unknown });
  else {
    for (const result of items) printActResult(terminal, result);
    for (const id of unknown) terminal.printNote(`${id}  you were not told about such an incident`);
  }
  return success ? EXIT.ok : EXIT.failed;
};

interface AcknowledgeResult {
  readonly items: readonly ActedIncident<IncidentReceipt>[];
  /** The ids of incidents that do not exist, or that the person was not told about. */
  readonly unknown: readonly string[];
}

async function acknowledgeByKey(
  { receipts }: Client,
  [reference, ...more]: readonly IncidentReference[],
): Promise<AcknowledgeResult> {
  if (reference === undefined || more.length > 0)
    throw usageError("With an API key, give one ID. tocsin login lets you take several.");
  return { items: [await receipts.acknowledge(reference)], unknown: [] };
}

async function acknowledgeAsPerson(
  { incidents }: Client,
  references: readonly IncidentReference[],
): Promise<AcknowledgeResult> {
  const ids = references.flatMap(({ incidentId }) =>
    incidentId === undefined ? [] : [incidentId],
  );
  const [id, ...more] = ids;
  // For a single incident, the server says why it refuses.
  if (id !== undefined && more.length === 0)
    return { items: [await incidents.acknowledge(id)], unknown: [] };
  const { items } = await incidents.acknowledgeAll(ids);
  const knownIds = new Set(items.map(({ incident }) => incident.id));
  return { items, unknown: ids.filter((candidate) => !knownIds.has(candidate)) };
}
