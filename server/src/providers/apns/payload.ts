import { cutToBytes } from "../cut.ts";
import { FIELDS, type ApnsPayload } from "../fields.ts";
import { fitMessage, type Form } from "../fit.ts";
import type { Message } from "../provider.ts";

/** The largest alert that Apple takes; one byte more is `PayloadTooLarge`. */
const MAX_PAYLOAD_BYTES = 4_096;

/**
 * Returns the JSON of a message (Apple, "Generating a remote notification"), at most `MAX_PAYLOAD_BYTES` long, or null
 * where its link alone is too long; text is cut between graphemes and marked by `truncated`.
 */
export function buildPayload(message: Message): Buffer | null {
  return fitMessage(FORM, message);
}

const FORM: Form<Buffer> = {
  limitBytes: MAX_PAYLOAD_BYTES,
  shape: (message, isTruncated) => Buffer.from(JSON.stringify(shape(message, isTruncated))),
  sizeOf: ({ length }) => length,
  cut: cutToBytes,
};

const FIELD_LIST = Object.values(FIELDS);

function shape(message: Message, isTruncated: boolean): ApnsPayload {
  const { notificationId: id, createdAt } = message;
  const payload: ApnsPayload = { aps: { alert: {} }, id, ts: Math.floor(createdAt / 1000) };
  for (const { apns } of FIELD_LIST) apns(payload, message);
  if (isTruncated) payload.truncated = 1;
  return payload;
}
