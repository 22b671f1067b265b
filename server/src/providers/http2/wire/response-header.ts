import type { AnswerHeaders } from "../../post.ts";
import type { Field } from "../hpack/static-table.ts";
import { FIELD_NAME } from "./field-name.ts";

/** The status and headers of a response. */
export interface ResponseHeader {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

const STATUS = /^[1-9][0-9]{2}$/u;
/** RFC 9113 section 8.2.1: no character that ends a field in HTTP/1.1, and no white space at the start or end. */
// oxlint-disable-next-line no-control-regex -- These characters are the forbidden ones.
const INVALID_VALUE = /[\0\r\n]|^[\t ]|[\t ]$/u;
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
export function readResponseHeader(fields: readonly Field[]): ResponseHeader | null {
  const [first, ...rest] = fields;
  if (first?.name !== ":status" || !STATUS.test(first.value)) return null;
  const status = Number(first.value);
  if (status === SWITCHING_PROTOCOLS) return null;
  const headers = readFields(rest);
  return headers === null ? null : { status, headers };
}

/** Returns whether the fields are valid trailers (RFC 9113 section 8.1). */
export function areTrailers(fields: readonly Field[]): boolean {
  return readFields(fields) !== null;
}

function readFields(fields: readonly Field[]): AnswerHeaders | null {
  const headers: Record<string, string> = {};
  for (const { name, value } of fields) {
    if (!FIELD_NAME.test(name) || CONNECTION_FIELDS.has(name) || INVALID_VALUE.test(value))
      return null;
    const existing = headers[name];
    headers[name] = existing === undefined ? value : `${existing}, ${value}`;
  }
  return headers;
}
