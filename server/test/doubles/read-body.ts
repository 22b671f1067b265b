/** Far above the largest accepted body. */
const READ_MAX_BYTES = 1_048_576;

/** Reads the body of an HTTP/1.1 or HTTP/2 request. Rejects if it is far too large. */
export async function readBody(request: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    // A request without an encoding yields buffers.
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > READ_MAX_BYTES) throw new Error("The body is too large.");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
