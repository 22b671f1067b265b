import { Encoder } from "../hpack/encoder.ts";
import type { Http2Request } from "../http2.ts";
import { FRAME_HEADER_BYTES, FRAME_PAYLOAD_MAX_BYTES } from "./codes.ts";
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
  /** The encoder, whose table size the server may limit. */
  readonly encoder = new Encoder();
  readonly #scheme: string;
  readonly #authority: string;
  /** The last valid value of each name. Most values repeat, so they need no second check. */
  readonly #lastValidValues = new Map<string, string>();

  constructor(origin: URL) {
    this.#scheme = origin.protocol.slice(0, -1);
    this.#authority = origin.host;
  }

  /**
   * Reserves space for the field block and its frame header. Throws `TypeError` on fields that HTTP/2 does not allow
   * (RFC 9113 section 8.2) or that are too large, before anything is written.
   */
  reserve(outbox: Outbox, { path, headers }: Http2Request): void {
    let size = path.length + this.#authority.length + FIXED_FIELD_COUNT * FIELD_OVERHEAD_BYTES;
    this.#validate(":path", path);
    for (const name in headers) {
      const value = headers[name] ?? "";
      this.#validate(name, value);
      size += name.length + value.length + FIELD_OVERHEAD_BYTES;
    }
    // Longer headers would need CONTINUATION frames, and no push service accepts even half this size.
    if (size > FRAME_PAYLOAD_MAX_BYTES) throw new TypeError("The headers are too large.");
    outbox.reserve(size + FRAME_HEADER_BYTES);
  }

  /** Writes the field block. The caller must have reserved the space. */
  write(outbox: Outbox, { path, headers, neverIndexed, body }: Http2Request): void {
    const { encoder } = this;
    encoder.beginBlock(outbox);
    encoder.writeField(outbox, ":method", "POST");
    encoder.writeField(outbox, ":scheme", this.#scheme);
    encoder.writeField(outbox, ":authority", this.#authority);
    if (neverIndexed.includes(":path")) encoder.writeNeverIndexedField(outbox, ":path", path);
    else encoder.writeField(outbox, ":path", path);
    for (const name in headers) {
      const value = headers[name] ?? "";
      if (neverIndexed.includes(name)) encoder.writeNeverIndexedField(outbox, name, value);
      else encoder.writeField(outbox, name, value);
    }
    encoder.writeField(outbox, "content-length", String(body.length));
  }

  #validate(name: string, value: string): void {
    const lastValid = this.#lastValidValues.get(name);
    if (lastValid === value) return;
    if (lastValid === undefined && name !== ":path" && !FIELD_NAME.test(name)) {
      throw new TypeError(`"${name}" is not a valid header name.`);
    }
    if (INVALID_VALUE_CHARACTER.test(value))
      throw new TypeError(`The value of "${name}" is not allowed.`);
    this.#lastValidValues.set(name, value);
  }
}
