/** Far above what any rule lets pass: enough to see that a body is too large. */
const MAX_READ_BYTES = 1_048_576;

/** Returns the body of a request, of HTTP/1.1 or HTTP/2; rejects where it does not end. */
export async function readBody(request: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    // A request without an encoding yields buffers.
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MAX_READ_BYTES) throw new Error("The body does not end.");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
