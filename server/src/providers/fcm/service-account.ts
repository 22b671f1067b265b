import { createPrivateKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { parseObject, type JsonFields } from "../json.ts";

/** The fields of a service account's key file that sending needs. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKeyId: string;
  /** RSA. A key object, because printing one shows nothing. */
  readonly privateKey: KeyObject;
}

/** Google's own keys have 2048 bits, the minimum of RS256 (RFC 7518 section 3.3). */
const MIN_KEY_BITS = 2_048;

/** A project id may have a domain, as in `example.com:my-project`. */
const PROJECT_ID = /^[a-z][a-z0-9.:-]{2,98}[a-z0-9]$/u;
const CLIENT_EMAIL = /^[^\s@]{1,128}@[^\s@]{1,253}$/u;
const KEY_ID = /^[\w-]{1,128}$/u;

/**
 * Returns the account of a JSON key file, as "Generate new private key" in the Firebase console makes it. Throws an Error
 * that names the missing or wrong field and quotes nothing of the file.
 */
export function parseServiceAccount(jsonText: string): ServiceAccount {
  // The parser's own message would quote the text, and with it the key.
  const fields = parseObject(jsonText);
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
    projectId: read(fields, { name: "project_id", form: PROJECT_ID }),
    clientEmail: read(fields, { name: "client_email", form: CLIENT_EMAIL }),
    privateKeyId: read(fields, { name: "private_key_id", form: KEY_ID }),
    privateKey: readKey(read(fields, { name: "private_key", form: /\S/u })),
  };
}

function read(fields: JsonFields, { name, form }: { name: string; form: RegExp }): string {
  const value = fields[name];
  if (value === undefined || value === null || value === "") throw new Error(`${name} is missing.`);
  if (typeof value !== "string" || !form.test(value)) {
    throw new Error(`${name} is not what a service account's key file has there.`);
  }
  return value;
}

function readKey(text: string): KeyObject {
  const key = readPem(text);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== "rsa" || bits < MIN_KEY_BITS) {
    throw new Error(`private_key is not an RSA key of at least ${MIN_KEY_BITS} bits.`);
  }
  return key;
}

function readPem(text: string): KeyObject {
  try {
    // An environment variable may have escaped the line breaks twice.
    return createPrivateKey(text.replaceAll(String.raw`\n`, "\n"));
  } catch {
    throw new Error("private_key is not a private key in PEM.");
  }
}
