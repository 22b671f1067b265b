/** Returns the fields of a part of a JWT, base64url; none where it cannot be read. */
export function readJwtPart(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // Unreadable means no claims: the first rule that misses one refuses the token.
    return {};
  }
}
