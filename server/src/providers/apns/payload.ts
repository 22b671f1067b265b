import { cutToBytes } from "../cut.ts";
import { FIELDS, type ApnsPayload } from "../fields.ts";
import { fitMessage, type Form } from "../fit.ts";
import type { Message } from "../provider.ts";

/** The largest alert that Apple accepts. One byte more is `PayloadTooLarge`. */
const PAYLOAD_MAX_BYTES = 4_096;

/**
 * Returns the JSON of a message (Apple, "Generating a remote notification"), at most `PAYLOAD_MAX_BYTES` long; null if its
 * link does not fit. Cuts text between graphemes and then sets `truncated`.
 */
export function buildPayload(message: Message): Buffer | null {
  return fitMessage(FORM, message);
}

const FORM: Form<Buffer> = {
  limitBytes: PAYLOAD_MAX_BYTES,
  shape: (message, isTruncated) => Buffer.from(JSON.stringify(buildFields(message, isTruncated))),
  sizeOf: ({ length }) => length,
  cut: cutToBytes,
};

const FIELD_LIST = Object.values(FIELDS);

function buildFields(message: Message, isTruncated: boolean): ApnsPayload {
  const { notificationId: id, createdAt } = message;
  const payload: ApnsPayload = { aps: { alert: {} }, id, ts: Math.floor(createdAt / 1000) };
  for (const { apns } of FIELD_LIST) apns(payload, message);
  if (isTruncated) payload.truncated = 1;
  return payload;
}
