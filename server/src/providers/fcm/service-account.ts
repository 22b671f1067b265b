import { createPrivateKey, type KeyObject } from "node:crypto";
import { parseJsonObject, type JsonFields } from "../json.ts";

/** The fields of a service account's key file that sending needs. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKeyId: string;
  /** An RSA key. Printing a key object does not reveal the key. */
  readonly privateKey: KeyObject;
}

/** The minimum key size of RS256 (RFC 7518 section 3.3), which is also the size of Google's keys. */
const KEY_MIN_BITS = 2_048;

/** The format of a project id. It may have a domain, as in `example.com:my-project`. */
const PROJECT_ID_PATTERN = /^[a-z][a-z0-9.:-]{2,98}[a-z0-9]$/u;
const CLIENT_EMAIL_PATTERN = /^[^\s@]{1,128}@[^\s@]{1,253}$/u;
const KEY_ID_PATTERN = /^[\w-]{1,128}$/u;

/**
 * Returns the account of a JSON key file, which "Generate new private key" in the Firebase console creates. Throws an
 * Error that names the missing or invalid field and quotes nothing from the file.
 */
export function parseServiceAccount(jsonText: string): ServiceAccount {
  // The parser's own message would quote the text, and with it the key.
  const fields = parseJsonObject(jsonText);
  if (fields === null) {
    throw new Error("The key file of the service account is not a JSON object.");
  }
  if ("project_info" in fields) {
    throw new Error(
      "This is google-services.json of an app, not the key file of a service account.",
    );
  }
  if (fields["type"] !== "service_account") {
    throw new Error(
      'type is not "service_account": this is not the key file of a service account.',
    );
  }
  return {
    projectId: requireField(fields, { name: "project_id", pattern: PROJECT_ID_PATTERN }),
    clientEmail: requireField(fields, { name: "client_email", pattern: CLIENT_EMAIL_PATTERN }),
    privateKeyId: requireField(fields, { name: "private_key_id", pattern: KEY_ID_PATTERN }),
    privateKey: parseKey(requireField(fields, { name: "private_key", pattern: /\S/u })),
  };
}

function requireField(
  fields: JsonFields,
  { name, pattern }: { name: string; pattern: RegExp },
): string {
  const value = fields[name];
  if (value === undefined || value === null || value === "") throw new Error(`${name} is missing.`);
  if (typeof value !== "string" || !pattern.test(value)) {
    throw new Error(`${name} is not what a service account's key file has there.`);
  }
  return value;
}

function parseKey(text: string): KeyObject {
  const key = parsePem(text);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== "rsa" || bits < KEY_MIN_BITS) {
    throw new Error(`private_key is not an RSA key of at least ${KEY_MIN_BITS} bits.`);
  }
  return key;
}

function parsePem(text: string): KeyObject {
  try {
    // An environment variable may have escaped the line breaks twice.
    return createPrivateKey(text.replaceAll(String.raw`\n`, "\n"));
  } catch {
    throw new Error("private_key is not a private key in PEM.");
  }
}
