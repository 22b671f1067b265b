import { addApnsInteraction } from "../interaction.ts";
import { cutToJsonBytes } from "../cut.ts";
import { FIELD_MAPPINGS, type ApnsPayload } from "../fields.ts";
import { fitMessage, type PayloadFormat } from "../fit.ts";
import type { Message } from "../provider.ts";

/** The maximum size of a payload that Apple accepts. Apple answers a larger one with `PayloadTooLarge`. */
const PAYLOAD_MAX_BYTES = 4_096;

/**
 * Returns the JSON of a message (Apple, "Generating a remote notification"), at most `PAYLOAD_MAX_BYTES` long; null if
 * the fields that are kept, such as the link, leave no room. Shortens a larger message as `fitMessage` does, and sets
 * `truncated` if it cut text.
 */
export function buildPayload(message: Message): Buffer | null {
  return fitMessage(PAYLOAD_FORMAT, message);
}

const PAYLOAD_FORMAT: PayloadFormat<Buffer> = {
  maxBytes: PAYLOAD_MAX_BYTES,
  build: (message, isTruncated) => Buffer.from(JSON.stringify(buildFields(message, isTruncated))),
  measureBytes: ({ length }) => length,
  cutText: cutToJsonBytes,
};

const FIELD_WRITERS = Object.values(FIELD_MAPPINGS).map(({ apns }) => apns);

function buildFields(message: Message, isTruncated: boolean): ApnsPayload {
  const { notificationId: id, createdAt, interaction } = message;
  const payload: ApnsPayload = { aps: { alert: {} }, id, ts: Math.floor(createdAt / 1000) };
  for (const writeField of FIELD_WRITERS) writeField(payload, message);
  if (interaction !== null) addApnsInteraction(payload, interaction);
  if (isTruncated) payload.truncated = 1;
  return payload;
}
