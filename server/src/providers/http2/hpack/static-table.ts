/** A field of a request or a response. HTTP/2 allows only names in lower case (RFC 9113 section 8.2.1). */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/**
 * The entries of RFC 7541 appendix A in order. The first one has index 1. A name without a value has an empty value.
 */
const STATIC_ENTRIES: readonly (readonly [name: string, ...values: string[]])[] = [
  [":authority", ""],
  [":method", "GET", "POST"],
  [":path", "/", "/index.html"],
  [":scheme", "http", "https"],
  [":status", "200", "204", "206", "304", "400", "404", "500"],
  ["accept-charset", ""],
  ["accept-encoding", "gzip, deflate"],
  ["accept-language", ""],
  ["accept-ranges", ""],
  ["accept", ""],
  ["access-control-allow-origin", ""],
  ["age", ""],
  ["allow", ""],
  ["authorization", ""],
  ["cache-control", ""],
  ["content-disposition", ""],
  ["content-encoding", ""],
  ["content-language", ""],
  ["content-length", ""],
  ["content-location", ""],
  ["content-range", ""],
  ["content-type", ""],
  ["cookie", ""],
  ["date", ""],
  ["etag", ""],
  ["expect", ""],
  ["expires", ""],
  ["from", ""],
  ["host", ""],
  ["if-match", ""],
  ["if-modified-since", ""],
  ["if-none-match", ""],
  ["if-range", ""],
  ["if-unmodified-since", ""],
  ["last-modified", ""],
  ["link", ""],
  ["location", ""],
  ["max-forwards", ""],
  ["proxy-authenticate", ""],
  ["proxy-authorization", ""],
  ["range", ""],
  ["referer", ""],
  ["refresh", ""],
  ["retry-after", ""],
  ["server", ""],
  ["set-cookie", ""],
  ["strict-transport-security", ""],
  ["transfer-encoding", ""],
  ["user-agent", ""],
  ["vary", ""],
  ["via", ""],
  ["www-authenticate", ""],
];

/** The fields that both sides know from the start. The field at position `i` has index `i + 1`. */
export const STATIC_FIELDS: readonly HeaderField[] = STATIC_ENTRIES.flatMap(([name, ...values]) =>
  values.map((value) => ({ name, value })),
);
