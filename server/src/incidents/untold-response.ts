import type { SendResponse } from "#notifications/send-response.ts";
import type { Incident } from "./incident.ts";

/** Returns the response to a trigger that told nobody, because the incident was open and its text was known. */
export function createUntoldResponse(incident: Incident): SendResponse {
  return createResponse(incident, "Nobody was told again.");
}

/**
 * Returns the response to a trigger whose text was filed, but is pushed later, because another one was pushed just
 * before.
 */
export function createFiledResponse(incident: Incident): SendResponse {
  const sentence =
    incident.closing === null
      ? "The new text is in the feed; devices get the latest one, at most once a minute."
      : "The new text was put in the feed.";
  return createResponse(incident, sentence);
}

/** A repetition of a trigger may come after the end of the incident. */
function createResponse(
  { openedAt, closing, occurrences }: Incident,
  sentence: string,
): SendResponse {
  const opening = formatMinute(openedAt);
  const span =
    closing === null
      ? `is open since ${opening} UTC`
      : `was open from ${opening} to ${formatMinute(closing.at)} UTC`;
  const message = `This incident ${span} (${occurrences} times). ${sentence}`;
  return { success: true, message, responses: [] };
}

/** Returns a time of day in UTC, such as `12:03`. */
function formatMinute(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}

/** The response to a send that acts on an incident key without an open incident. */
export const NO_OPEN_INCIDENT: SendResponse = {
  success: true,
  message: "No open incident has this key.",
  responses: [],
};
