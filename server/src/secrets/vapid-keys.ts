import { createECDH } from "node:crypto";

/**
 * The key pair that identifies this server to push services. Both keys are base64url without padding: the public key
 * is an uncompressed P-256 point of 65 bytes, the private key has 32 bytes. The JSON has the format of `web-push
 * generate-vapid-keys --json`. Every subscription is bound to the pair, so a server without it loses all subscriptions.
 */
export interface VapidKeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

const VAPID_CURVE = "prime256v1";
const PRIVATE_KEY_BYTES = 32;

/** Returns a new key pair. */
export function generateVapidKeys(): VapidKeyPair {
  const pair = createECDH(VAPID_CURVE);
  const publicKey = pair.generateKeys();
  // OpenSSL drops leading zero bytes of a private key; the encoded form keeps them.
  const privateKey = Buffer.alloc(PRIVATE_KEY_BYTES);
  const scalar = pair.getPrivateKey();
  scalar.copy(privateKey, privateKey.length - scalar.length);
  return {
    publicKey: publicKey.toString("base64url"),
    privateKey: privateKey.toString("base64url"),
  };
}

/** Parses the JSON value of a key file; throws an Error that names the problem but not the key. */
export function parseVapidKeys(value: unknown): VapidKeyPair {
  if (typeof value !== "object" || value === null) throw new Error("VAPID keys are not an object.");
  const publicKey = "publicKey" in value ? value.publicKey : null;
  const privateKey = "privateKey" in value ? value.privateKey : null;
  if (typeof publicKey !== "string" || typeof privateKey !== "string") {
    throw new Error("VAPID keys need publicKey and privateKey, both base64url.");
  }
  const scalar = Buffer.from(privateKey, "base64url");
  if (scalar.length !== PRIVATE_KEY_BYTES) {
    throw new Error(`The VAPID private key is not ${PRIVATE_KEY_BYTES} bytes.`);
  }
  const pair = createECDH(VAPID_CURVE);
  pair.setPrivateKey(scalar);
  if (!pair.getPublicKey().equals(Buffer.from(publicKey, "base64url"))) {
    throw new Error("The VAPID public key does not belong to the private key.");
  }
  return {
    publicKey: pair.getPublicKey("base64url"),
    privateKey: scalar.toString("base64url"),
  };
}
