import { fstatSync } from "node:fs";

const STANDARD_INPUT_DESCRIPTOR = 0;

/** Returns whether standard input is a pipe or a file, not a terminal. */
export function isPiped(): boolean {
  try {
    const stats = fstatSync(STANDARD_INPUT_DESCRIPTOR);
    return stats.isFIFO() || stats.isFile() || stats.isSocket();
  } catch {
    // Standard input may be closed.
    return false;
  }
}

/** Returns the whole input; null if it has more than `maxBytes`. */
export async function readAll(maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of getInputChunks()) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the first line without its line break; null if there is none, or if it is longer than `maxBytes`. */
export async function readLine(maxBytes: number): Promise<string | null> {
  for await (const line of readLines(maxBytes)) return line;
  return null;
}

/** Yields lines without their line breaks as they arrive, up to `maxBytes` in total. */
export async function* readLines(maxBytes: number): AsyncGenerator<string, void> {
  let bytes: Buffer = Buffer.alloc(0);
  let start = 0;
  for await (const chunk of getInputChunks()) {
    bytes = Buffer.concat([bytes, chunk]);
    for (let end = bytes.indexOf("\n", start); end >= 0; end = bytes.indexOf("\n", start)) {
      if (end > maxBytes) return;
      yield decodeLine(bytes.subarray(start, end));
      start = end + 1;
    }
    if (bytes.length > maxBytes) return;
  }
  if (start < bytes.length) yield decodeLine(bytes.subarray(start));
}

function decodeLine(bytes: Buffer): string {
  return bytes.toString().replace(/\r$/, "");
}

/** Returns standard input as buffers: it has no encoding set. */
function getInputChunks(): AsyncIterable<Buffer> {
  return process.stdin as AsyncIterable<Buffer>;
}
