import { randomBytes } from "node:crypto";
import { hashToken } from "#token.ts";

/** The kind of a secret of a connected app, which determines its shape. */
export type SecretKind = "password" | "client_token" | "token";

/** Letters and digits without 0, 1, i and o, which look like others. */
const PASSWORD_ALPHABET = "23456789abcdefghjklmnpqrstuvwxyz";
const PASSWORD_LENGTH = 16;
const GROUP_LENGTH = 4;
/** An app password, with or without its hyphens and in either case. */
const PASSWORD_PATTERN = /^[2-9a-hj-np-z]{4}(?:-?[2-9a-hj-np-z]{4}){3}$/i;

const CLIENT_TOKEN_PATTERN = /^C[\w-]{43}$/;
const CLIENT_TOKEN_BYTES = 32;

const TOKEN_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const TOKEN_PATTERN = /^tk_[a-z0-9]{29}$/;
const TOKEN_LENGTH = 29;

const TOPIC_LENGTH = 10;

/** Returns a new secret. An app password has 80 random bits, the others more. */
export function createSecret(kind: SecretKind): string {
  switch (kind) {
    case "password":
      return createPassword();
    case "client_token":
      return `C${randomBytes(CLIENT_TOKEN_BYTES).toString("base64url")}`;
    case "token":
      return `tk_${pickCharacters(TOKEN_ALPHABET, TOKEN_LENGTH)}`;
  }
}

/** Returns the stored form of a secret; null for any other text. */
export function hashSecret(secret: string): string | null {
  if (PASSWORD_PATTERN.test(secret)) return hashToken(secret.replaceAll("-", "").toLowerCase());
  const isToken = CLIENT_TOKEN_PATTERN.test(secret) || TOKEN_PATTERN.test(secret);
  return isToken ? hashToken(secret) : null;
}

/** Returns a new topic for an app: `all-` and ten letters and digits. */
export function createTopic(): string {
  return `all-${pickCharacters(TOKEN_ALPHABET, TOPIC_LENGTH)}`;
}

/** Returns 16 characters in groups of four with hyphens, so that people can type them. */
function createPassword(): string {
  const characters = pickCharacters(PASSWORD_ALPHABET, PASSWORD_LENGTH);
  const groups = Array.from({ length: PASSWORD_LENGTH / GROUP_LENGTH }, (_, index) =>
    characters.slice(index * GROUP_LENGTH, (index + 1) * GROUP_LENGTH),
  );
  return groups.join("-");
}

/** The number of values of a byte. */
const BYTE_VALUES = 256;

/** Returns random characters of an alphabet, each with the same probability. */
function pickCharacters(alphabet: string, length: number): string {
  // Bytes beyond the last multiple of the alphabet's length would favour its first characters.
  const usableByteCount = BYTE_VALUES - (BYTE_VALUES % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < usableByteCount && text.length < length)
        text += alphabet[byte % alphabet.length] ?? "";
    }
  }
  return text;
}
