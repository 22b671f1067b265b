import type { PushResponseHeaders } from "../../post.ts";
import type { HeaderField } from "../hpack/static-table.ts";
import { FIELD_NAME } from "./field-name.ts";

/** The status and headers of a response. */
export interface ResponseHeader {
  readonly status: number;
  readonly headers: PushResponseHeaders;
}

const STATUS_PATTERN = /^[1-9][0-9]{2}$/u;
/** RFC 9113 section 8.2.1: no character that ends a field in HTTP/1.1, and no white space at the start or end. */
// oxlint-disable-next-line no-control-regex -- These characters are the forbidden ones.
const INVALID_VALUE_PATTERN = /[\0\r\n]|^[\t ]|[\t ]$/u;
/** Connection-specific fields, which HTTP/2 forbids (RFC 9113 section 8.2.2). */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);
/** The status for a protocol switch, which HTTP/2 does not allow (RFC 9113 section 8.6). */
const SWITCHING_PROTOCOLS = 101;

/** Returns the status and headers in the fields; null if they are malformed (RFC 9113 sections 8.2 and 8.3). */
export function parseResponseHeader(fields: readonly HeaderField[]): ResponseHeader | null {
  const [first, ...otherFields] = fields;
  if (first?.name !== ":status" || !STATUS_PATTERN.test(first.value)) return null;
  const status = Number(first.value);
  if (status === SWITCHING_PROTOCOLS) return null;
  const headers = parseFields(otherFields);
  return headers === null ? null : { status, headers };
}

/** Returns whether the fields are valid trailers (RFC 9113 section 8.1). */
export function areValidTrailers(fields: readonly HeaderField[]): boolean {
  return parseFields(fields) !== null;
}

function parseFields(fields: readonly HeaderField[]): PushResponseHeaders | null {
  const headers: Record<string, string> = {};
  for (const { name, value } of fields) {
    if (!FIELD_NAME.test(name) || CONNECTION_FIELDS.has(name) || INVALID_VALUE_PATTERN.test(value))
      return null;
    const existing = headers[name];
    headers[name] = existing === undefined ? value : `${existing}, ${value}`;
  }
  return headers;
}
