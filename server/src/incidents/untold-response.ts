import type { SendResponse } from "#notifications/send-response.ts";
import type { Incident } from "./incident.ts";

/** Returns the response to a trigger that told nobody, because the incident is open and its text is known. */
export function createUntoldResponse(incident: Incident): SendResponse {
  return createOpenResponse(incident, "Nobody was told again.");
}

/**
 * Returns the response to a trigger whose text was filed, but is pushed later, because another one was pushed just
 * before.
 */
export function createFiledResponse(incident: Incident): SendResponse {
  const sentence =
    "The new text is in the feed; devices get the latest one, at most once a minute.";
  return createOpenResponse(incident, sentence);
}

function createOpenResponse({ openedAt, occurrences }: Incident, sentence: string): SendResponse {
  const since = `${new Date(openedAt).toISOString().slice(11, 16)} UTC`;
  const message = `This incident is open since ${since} (${occurrences} times). ${sentence}`;
  return { success: true, message, responses: [] };
}

/** The response to a send that acts on an incident key without an open incident. */
export const NO_OPEN_INCIDENT: SendResponse = {
  success: true,
  message: "No open incident has this key.",
  responses: [],
};
