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

/** Returns the first line without its end, or null where it has more than `maxBytes`; what follows is not read. */
export async function readLine(maxBytes: number): Promise<string | null> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const chunk of inputChunks()) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.includes("\n") || bytes.length > maxBytes) break;
  }
  const [line = ""] = bytes.toString().split(/\r?\n/, 1);
  return Buffer.byteLength(line) > maxBytes ? null : line;
}

/** A stream without an encoding yields buffers. */
function inputChunks(): AsyncIterable<Buffer> {
  return process.stdin as AsyncIterable<Buffer>;
}
