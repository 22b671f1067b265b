/**
 * A field block cannot be decoded. The dynamic tables of both sides differ from now on, so the connection is lost (RFC 7541
 * section 3).
 */
export class CompressionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CompressionError";
  }
}
