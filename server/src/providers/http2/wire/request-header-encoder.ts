import { Encoder } from "../hpack/encoder.ts";
import type { Http2Request } from "../http2.ts";
import { FRAME_HEADER_BYTES, FRAME_MAX_BYTES } from "./codes.ts";
import type { Outbox } from "./outbox.ts";
import { FIELD_NAME } from "./field-name.ts";

/** A character that is not allowed in values (RFC 9110 section 5.5). */
const INVALID_VALUE_CHARACTER = /[^\t -~\u0080-\u00ff]/u;
/** The largest overhead of a field: three lengths, and two size updates before the first field. */
const FIELD_OVERHEAD_BYTES = 24;
/** The number of fields in every request. */
const FIXED_FIELD_COUNT = 5;

/** Encodes the request headers of one connection. */
export class RequestHeaderEncoder {
  readonly encoder = new Encoder();
  readonly #scheme: string;
  readonly #authority: string;
  /** The last valid value of each name. Most values repeat and need no second check. */
  readonly #lastValid = new Map<string, string>();

  constructor(origin: URL) {
    this.#scheme = origin.protocol.slice(0, -1);
    this.#authority = origin.host;
  }

  /**
   * Reserves space for the field block and its frame header. Throws `TypeError` on fields that HTTP/2 does not allow (RFC
   * 9113 section 8.2), before anything is written.
   */
  reserve(out: Outbox, { path, headers }: Http2Request): void {
    let size = path.length + this.#authority.length + FIXED_FIELD_COUNT * FIELD_OVERHEAD_BYTES;
    this.#check(":path", path);
    for (const name in headers) {
      const value = headers[name] ?? "";
      this.#check(name, value);
      size += name.length + value.length + FIELD_OVERHEAD_BYTES;
    }
    // Longer headers would need CONTINUATION frames, and no push service accepts even half this size.
    if (size > FRAME_MAX_BYTES) throw new TypeError("The headers are too large.");
    out.reserve(size + FRAME_HEADER_BYTES);
  }

  /** Writes the field block. The caller must have reserved the space. */
  write(out: Outbox, { path, headers, neverIndexed, body }: Http2Request): void {
    const { encoder } = this;
    encoder.begin(out);
    encoder.field(out, ":method", "POST");
    encoder.field(out, ":scheme", this.#scheme);
    encoder.field(out, ":authority", this.#authority);
    if (neverIndexed.includes(":path")) encoder.neverIndexedField(out, ":path", path);
    else encoder.field(out, ":path", path);
    for (const name in headers) {
      const value = headers[name] ?? "";
      if (neverIndexed.includes(name)) encoder.neverIndexedField(out, name, value);
      else encoder.field(out, name, value);
    }
    encoder.field(out, "content-length", String(body.length));
  }

  #check(name: string, value: string): void {
    const lastValid = this.#lastValid.get(name);
    if (lastValid === value) return;
    if (lastValid === undefined && name !== ":path" && !FIELD_NAME.test(name)) {
      throw new TypeError(`"${name}" is no name of a header.`);
    }
    if (INVALID_VALUE_CHARACTER.test(value))
      throw new TypeError(`The value of "${name}" is not allowed.`);
    this.#lastValid.set(name, value);
  }
}
