import { fstatSync } from "node:fs";

const DESCRIPTOR = 0;

/** True where a pipe or a file stands before the command, and no person. */
export function isPiped(): boolean {
  try {
    const status = fstatSync(DESCRIPTOR);
    return status.isFIFO() || status.isFile() || status.isSocket();
  } catch {
    // A closed standard input says nothing.
    return false;
  }
}

/** Returns the whole input, or null where it has more than `maxBytes`. */
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

/** Returns the first line without its end, or null where none ends within `maxBytes`; what follows is not read. */
export async function readLine(maxBytes: number): Promise<string | null> {
  for await (const line of inputLines(maxBytes)) return line;
  return null;
}

/** Yields lines without their ends as soon as they come, as long as all together have at most `maxBytes`. */
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
