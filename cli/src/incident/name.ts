import type { IncidentName } from "@tocsin/sdk";
import { parseIncidentKey } from "../acting-arguments.ts";
import { usageError } from "../command.ts";
import { isId } from "../find-by-name.ts";

/** Returns the id of an incident in lower case, as the server writes it; throws a usage error for any other text. */
export function parseIncidentId(text: string): string {
  if (isId(text)) return text.toLowerCase();
  throw usageError(
    "ID is the id of an incident, as tocsin incident list and tocsin send print it.",
  );
}

/** Returns the incidents named by ids or by a key, at least one; throws a usage error for none and for both. */
export function parseIncidentNames(
  ids: readonly string[],
  incidentKey: string | undefined,
): readonly IncidentName[] {
  if ((ids.length === 0) === (incidentKey === undefined))
    throw usageError("Give an ID or --incident-key, one of the two.");
  if (incidentKey !== undefined) return [{ incidentKey: parseIncidentKey(incidentKey) }];
  return [...new Set(ids.map(parseIncidentId))].map((incidentId) => ({ incidentId }));
}
