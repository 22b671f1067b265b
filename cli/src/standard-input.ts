import { fstatSync } from "node:fs";

const DESCRIPTOR = 0;

/** True if standard input is a pipe or a file, not a terminal. */
export function isPiped(): boolean {
  try {
    const status = fstatSync(DESCRIPTOR);
    return status.isFIFO() || status.isFile() || status.isSocket();
  } catch {
    // Standard input may be closed.
    return false;
  }
}

/** Returns the whole input, or null if it has more than `maxBytes`. */
export async function readAll(maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of inputChunks()) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the first line without its end, or null if none ends within `maxBytes`; leaves the rest unread. */
export async function readLine(maxBytes: number): Promise<string | null> {
  for await (const line of inputLines(maxBytes)) return line;
  return null;
}

/** Yields lines without their ends as soon as they arrive, up to `maxBytes` in total. */
export async function* inputLines(maxBytes: number): AsyncGenerator<string, void> {
  let bytes: Buffer = Buffer.alloc(0);
  let given = 0;
  for await (const chunk of inputChunks()) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > maxBytes) return;
    for (let end = bytes.indexOf("\n", given); end >= 0; end = bytes.indexOf("\n", given)) {
      yield lineOf(bytes.subarray(given, end));
      given = end + 1;
    }
  }
  if (given < bytes.length) yield lineOf(bytes.subarray(given));
}

function lineOf(bytes: Buffer): string {
  return bytes.toString().replace(/\r$/, "");
}

/** A stream without an encoding yields buffers. */
function inputChunks(): AsyncIterable<Buffer> {
  return process.stdin as AsyncIterable<Buffer>;
}
