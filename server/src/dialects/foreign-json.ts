import { isUtf8 } from "node:buffer";
import { parseJsonBody } from "#http/json-body.ts";

/**
 * The maximum nesting of a body. The servers of ntfy and Gotify accept 10,000 levels (Go: `encoding/json/scanner.go`), and
 * a message must arrive, whatever its sender adds to it. No program is known that needs more than this.
 */
const DEPTH_MAX = 100;

/**
 * Returns the value of a JSON body; undefined for an empty one. Bytes that are no UTF-8 are Latin-1, as Windows PowerShell
 * sends them: the servers of ntfy and Gotify accept such a body, and the alert must arrive. Throws `invalid_json` for
 * malformed JSON and for nesting deeper than `DEPTH_MAX`.
 */
export function parseForeignJson(bytes: Uint8Array): unknown {
  return parseJsonBody(isUtf8(bytes) ? bytes : Buffer.from(LATIN_1.decode(bytes)), DEPTH_MAX);
}

const LATIN_1 = new TextDecoder("latin1");
