import type { IncidentReference } from "@tocsin/sdk";
import { parseIncidentKey } from "../interaction-arguments.ts";
import { usageError } from "../command.ts";
import { isId } from "../find-by-name.ts";

/** Returns the id of an incident in the server's letter case. Throws a usage error if the text is not an id. */
export function parseIncidentId(text: string): string {
  if (isId(text)) return text.toLowerCase();
  throw usageError(
    "ID must be the id of an incident; tocsin incident list and tocsin send print it.",
  );
}

/**
 * Returns the incidents named by the arguments of an act, at least one. Throws a usage error unless either ids or an
 * incident key are given.
 */
export function parseIncidentReferences(
  ids: readonly string[],
  incidentKey: string | undefined,
): readonly IncidentReference[] {
  if ((ids.length === 0) === (incidentKey === undefined))
    throw usageError("Give either an ID or --incident-key.");
  if (incidentKey !== undefined) return [{ incidentKey: parseIncidentKey(incidentKey) }];
  return [...new Set(ids.map(parseIncidentId))].map((incidentId) => ({ incidentId }));
}
