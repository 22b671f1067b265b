import { Encoder } from "../hpack/encoder.ts";
import type { Http2Request } from "../http2.ts";
import { FRAME_HEAD_BYTES, FRAME_MAX_BYTES } from "./codes.ts";
import type { Outbox } from "./outbox.ts";
import { FIELD_NAME } from "./field-name.ts";

/** What must not stand in a value (RFC 9110 section 5.5). */
const NOT_IN_VALUES = /[^\t -~\u0080-\u00ff]/u;
/** No field takes more beside its two strings: three lengths, and two changes of the table's size before the first. */
const FIELD_OVERHEAD_BYTES = 24;
/** The fields that every request has. */
const OWN_FIELDS = 5;

/** Writes the heads of the requests of one connection. */
export class RequestHeads {
  readonly encoder = new Encoder();
  readonly #scheme: string;
  readonly #authority: string;
  /** Names, and with each the last value that was looked at: most are the same again. */
  readonly #checked = new Map<string, string>();

  constructor(origin: URL) {
    this.#scheme = origin.protocol.slice(0, -1);
    this.#authority = origin.host;
  }

  /**
   * Makes room for the head and its frame; throws `TypeError` on what HTTP/2 does not allow (RFC 9113 section 8.2), before
   * anything was written.
   */
  reserve(out: Outbox, { path, headers }: Http2Request): void {
    let size = path.length + this.#authority.length + OWN_FIELDS * FIELD_OVERHEAD_BYTES;
    this.#check(":path", path);
    for (const name in headers) {
      const value = headers[name] ?? "";
      this.#check(name, value);
      size += name.length + value.length + FIELD_OVERHEAD_BYTES;
    }
    // Longer ones would have to be split, and no push service takes half of that.
    if (size > FRAME_MAX_BYTES) throw new TypeError("The headers are too large.");
    out.reserve(size + FRAME_HEAD_BYTES);
  }

  /** Writes the block, for which there must be room. */
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
