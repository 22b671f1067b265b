import type { Audience } from "#devices/audiences/audience.ts";
import { invalidField } from "#errors.ts";
import type { Incident } from "./incident.ts";
import { isSameAudience } from "./told-audience.ts";

/**
 * Throws `invalid_field` on `incidentKey` if a send names an open incident that has another audience than the send. The
 * text of the send would reach the audience of the incident, for which the text is not meant. A person may send to a
 * team only while managing it, so this check also keeps former managers from the incidents that they opened for a team.
 */
export function requireSameAudience(
  { audience }: Pick<Incident, "audience">,
  sendAudience: Audience,
): void {
  if (isSameAudience(audience, sendAudience)) return;
  const message =
    "The open incident with this incidentKey has another audience, so nothing was sent. Send to that audience to change the incident, or use another incidentKey.";
  throw invalidField("incidentKey", message);
}
