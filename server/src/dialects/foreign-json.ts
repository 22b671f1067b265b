import { isUtf8 } from "node:buffer";
import { parseJsonBody } from "#http/json-body.ts";

/**
 * Returns the value of a JSON body; undefined for an empty one. Bytes that are no UTF-8 are Latin-1, as Windows PowerShell
 * sends them: the servers of ntfy and Gotify accept such a body, and the alert must arrive. Throws `invalid_json` for
 * malformed JSON and deep nesting.
 */
export function parseForeignJson(bytes: Uint8Array): unknown {
  return parseJsonBody(isUtf8(bytes) ? bytes : Buffer.from(LATIN_1.decode(bytes)));
}

const LATIN_1 = new TextDecoder("latin1");
