/** Returns the fields of a base64url part of a JWT, or no fields if it is invalid. */
export function parseJwtPart(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // Without claims, the first rule that needs one refuses the token.
    return {};
  }
}
