import { BODY_MAX_BYTES } from "#http/server.ts";
import { AppError } from "#errors.ts";
import type { BeginningLimits, Beginning } from "../read-beginning.ts";
import { createFieldReader, type ReadField } from "../read-fields.ts";

/** How much of a body is kept, and how much is read: pictures may have 5 MB, and a third more in base64 (pushover.net/api). */
export const FORM_LIMITS: BeginningLimits = {
  keptMaxBytes: BODY_MAX_BYTES,
  readMaxBytes: 8 * 1024 * 1024,
};

/** A body whose end may be missing, and the query. */
export interface FormSource {
  readonly body: Beginning;
  readonly contentType: string;
  readonly query: Readonly<Record<string, unknown>>;
}

/**
 * Returns a function that reads the fields of a request. The fields of a form stand before the picture, which is not kept.
 * Throws `body_too_large` for JSON that is too long, which has no such order.
 */
export async function readForm({ body, contentType, query }: FormSource): Promise<ReadField> {
  const bytes = body.isComplete ? body.bytes : cutForm(body.bytes, contentType);
  return createFieldReader({ bytes, contentType, query });
}

/** Returns the complete fields at the beginning of a form. */
function cutForm(bytes: Buffer, contentType: string): Buffer {
  if (/^application\/(?:[\w.-]+\+)?json/i.test(contentType))
    throw new AppError("body_too_large", "The body is too large. Shorten it.");
  const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined) return bytes.subarray(0, Math.max(0, bytes.lastIndexOf("&")));
  const end = bytes.lastIndexOf(`\r\n--${boundary}\r\n`);
  if (end === -1) throw new AppError("body_too_large", "The body is too large. Shorten it.");
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(`\r\n--${boundary}--\r\n`)]);
}
