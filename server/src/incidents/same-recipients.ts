import type { Audience } from "#devices/audiences/audience.ts";
import { invalidField } from "#errors.ts";
import type { Incident } from "./incident.ts";
import { isSameAudience } from "./told-audience.ts";

/**
 * Throws `invalid_field` on `incidentKey` if a send to another audience names an open incident: its text would reach
 * people for whom it is not meant. A person may send to a team only while managing it, so this also keeps former
 * managers from the incidents that they opened for it.
 */
export function requireSameRecipients(
  { audience }: Pick<Incident, "audience">,
  sendAudience: Audience,
): void {
  if (isSameAudience(audience, sendAudience)) return;
  const message =
    "The open incident with this incidentKey is for other recipients; nothing was sent. To change it, send to those; otherwise, use another incidentKey.";
  throw invalidField("incidentKey", message);
}
