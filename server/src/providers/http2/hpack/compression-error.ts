/**
 * Thrown if a field block cannot be decoded. The dynamic tables of both sides differ after that, so the connection is
 * lost (RFC 7541 section 3).
 */
export class CompressionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CompressionError";
  }
}
