import { Encoder } from "../hpack/encoder.ts";
import type { Http2Request } from "../http2.ts";
import { FRAME_HEAD_BYTES, FRAME_MAX_BYTES } from "./codes.ts";
import type { Outbox } from "./outbox.ts";
import { FIELD_NAME } from "./field-name.ts";

/** Characters that are not allowed in values (RFC 9110 section 5.5). */
const NOT_IN_VALUES = /[^\t -~\u0080-\u00ff]/u;
/** The largest overhead of a field besides name and value: three lengths, and two size updates before the first field. */
const FIELD_OVERHEAD_BYTES = 24;
/** The number of fields in every request. */
const OWN_FIELDS = 5;

/** Encodes the request heads of one connection. */
export class RequestHeads {
  readonly encoder = new Encoder();
  readonly #scheme: string;
  readonly #authority: string;
  /** The last valid value of each name. Most values repeat, and are not checked again. */
  readonly #checked = new Map<string, string>();

  constructor(origin: URL) {
    this.#scheme = origin.protocol.slice(0, -1);
    this.#authority = origin.host;
  }

  /**
   * Reserves room for the head and its frame. Throws `TypeError` on fields that HTTP/2 does not allow (RFC 9113 section
   * 8.2), before anything is written.
   */
  reserve(out: Outbox, { path, headers }: Http2Request): void {
    let size = path.length + this.#authority.length + OWN_FIELDS * FIELD_OVERHEAD_BYTES;
    this.#check(":path", path);
    for (const name in headers) {
      const value = headers[name] ?? "";
      this.#check(name, value);
      size += name.length + value.length + FIELD_OVERHEAD_BYTES;
    }
    // A longer head would need CONTINUATION frames, and no push service accepts half of this.
    if (size > FRAME_MAX_BYTES) throw new TypeError("The headers are too large.");
    out.reserve(size + FRAME_HEAD_BYTES);
  }

  /** Writes the field block; the room for it must be reserved. */
  write(out: Outbox, { path, headers, neverIndexed, body }: Http2Request): void {
    const { encoder } = this;
    encoder.begin(out);
    encoder.field(out, ":method", "POST");
    encoder.field(out, ":scheme", this.#scheme);
    encoder.field(out, ":authority", this.#authority);
    if (neverIndexed.includes(":path")) encoder.secret(out, ":path", path);
    else encoder.field(out, ":path", path);
    for (const name in headers) {
      const value = headers[name] ?? "";
      if (neverIndexed.includes(name)) encoder.secret(out, name, value);
      else encoder.field(out, name, value);
    }
    encoder.field(out, "content-length", String(body.length));
  }

  #check(name: string, value: string): void {
    const before = this.#checked.get(name);
    if (before === value) return;
    if (before === undefined && name !== ":path" && !FIELD_NAME.test(name)) {
      throw new TypeError(`"${name}" is no name of a header.`);
    }
    if (NOT_IN_VALUES.test(value)) throw new TypeError(`The value of "${name}" is not allowed.`);
    this.#checked.set(name, value);
  }
}
