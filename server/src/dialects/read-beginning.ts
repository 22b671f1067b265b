import type { Readable } from "node:stream";
import { AppError } from "#errors.ts";

/** The beginning of a body. */
export interface Beginning {
  readonly bytes: Buffer;
  /** Whether the body has no further bytes. */
  readonly isComplete: boolean;
}

/** How much of a body is kept, and how much of it is read at all, in bytes. */
export interface BeginningLimits {
  readonly keptMaxBytes: number;
  readonly readMaxBytes: number;
}

/**
 * Reads a body to its end and keeps its beginning: the body may be a picture, and the alert must arrive without it. Throws
 * `body_too_large` for a body of more than `readMaxBytes`, and `invalid_request` for one that the client broke off.
 */
export async function readBeginning(stream: Readable, limits: BeginningLimits): Promise<Beginning> {
  const { chunks, size } = await readChunks(stream, limits);
  // Node does not discard the rest of a body that was read in part, and the connection would serve no further request. A
  // proxy passes the response on once it has sent that rest.
  stream.resume();
  if (size > limits.readMaxBytes) {
    throw new AppError("body_too_large", "The body is too large. Shorten it.");
  }
  return { bytes: Buffer.concat(chunks), isComplete: size <= limits.keptMaxBytes };
}

async function readChunks(stream: Readable, { keptMaxBytes, readMaxBytes }: BeginningLimits) {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Destroying the stream would close the connection before the client has the response.
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      if (size < keptMaxBytes) chunks.push(chunk.subarray(0, keptMaxBytes - size));
      size += chunk.length;
      if (size > readMaxBytes) break;
    }
  } catch (error) {
    throw new AppError("invalid_request", "The body ended too early.", { cause: error });
  }
  return { chunks, size };
}
