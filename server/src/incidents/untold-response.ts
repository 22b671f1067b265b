import type { SendResponse } from "#notifications/send-response.ts";
import type { Incident } from "./incident.ts";

/** Returns the response to a trigger that told nobody, because the incident is open and its text is known. */
export function createUntoldResponse({ openedAt, occurrences }: Incident): SendResponse {
  const since = `${new Date(openedAt).toISOString().slice(11, 16)} UTC`;
  const message = `This incident is open since ${since} (${occurrences} times). Nobody was told again.`;
  return { success: true, message, responses: [] };
}

/** The response to a send that acts on an incident which is not open. */
export const NO_OPEN_INCIDENT: SendResponse = {
  success: true,
  message: "No open incident has this key.",
  responses: [],
};
