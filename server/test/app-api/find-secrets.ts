/** Field names of secrets and personal data in requests and responses. */
const SECRET_FIELDS = new Set([
  "key",
  "token",
  "secret",
  "uri",
  "url",
  "link",
  "code",
  "password",
  "endpoint",
  "p256dh",
  "auth",
  "actionKey",
  "email",
  "name",
  "label",
  "title",
  "body",
  "backupCodes",
  "clientDataJSON",
]);

/**
 * Returns every string in a field that holds a secret or personal data, and each long word in such a string, such as
 * the token of a link.
 */
export function findSecrets(value: unknown, isSecret = false): readonly string[] {
  if (typeof value === "string") {
    return isSecret ? [value, ...(value.match(/[\w-]{16,}/g) ?? [])] : [];
  }
  if (value === null || typeof value !== "object") return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, fieldValue]) =>
    findSecrets(fieldValue, isList ? isSecret : SECRET_FIELDS.has(name)),
  );
}
