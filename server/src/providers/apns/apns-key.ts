import { createPrivateKey, type KeyObject } from "node:crypto";

/**
 * Returns the private key of a `.p8` file as Apple issues it: PKCS #8 in PEM, P-256. Accepts line breaks written as
 * `\n`, as in environment files. Throws an Error that names the problem but never quotes the key.
 */
export function parseApnsKey(pem: string): KeyObject {
  const text = pem.replaceAll("\\r", "").replaceAll("\\n", "\n").trim();
  if (!text.startsWith("-----BEGIN PRIVATE KEY-----")) {
    throw new Error("The APNs key does not begin with -----BEGIN PRIVATE KEY-----.");
  }
  const key = parseKey(text);
  if (key === null)
    throw new Error("The APNs key is damaged: give the whole text of the .p8 file.");
  if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new Error("The APNs key is not a P-256 key: give the .p8 file that Apple issued.");
  }
  return key;
}

function parseKey(text: string): KeyObject | null {
  try {
    return createPrivateKey(text);
  } catch {
    // OpenSSL's error does not help an operator, and may quote the key.
    return null;
  }
}
