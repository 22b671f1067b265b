import {
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  randomInt,
  type KeyObject,
} from "node:crypto";

/** Google's token endpoint, which is the only audience it accepts. */
export const GOOGLE_TOKEN_URL = "https://oauth2.googleapis.com/token";

/** A service account of a Google Cloud project. */
export interface ServiceAccount {
  readonly email: string;
  readonly keyId: string;
  readonly publicKey: KeyObject;
  /** The JSON file that Firebase's console provides. */
  readonly credentials: string;
}

/** Generates an account with a 2048-bit RSA key. */
export function generateServiceAccount(projectId: string): ServiceAccount {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyId = randomBytes(20).toString("hex");
  const email = `firebase-adminsdk-${randomBytes(3).toString("hex")}@${projectId}.iam.gserviceaccount.com`;
  const file = {
    type: "service_account",
    project_id: projectId,
    private_key_id: keyId,
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: email,
    client_id: `1${randomInt(10 ** 14)}`.padEnd(21, "0"),
    auth_uri: "https://accounts.google.com/o/oauth2/auth",
    token_uri: GOOGLE_TOKEN_URL,
    auth_provider_x509_cert_url: "https://www.googleapis.com/oauth2/v1/certs",
    client_x509_cert_url: `https://www.googleapis.com/robot/v1/metadata/x509/${encodeURIComponent(email)}`,
    universe_domain: "googleapis.com",
  };
  return {
    email,
    keyId,
    publicKey: createPublicKey(privateKey),
    credentials: `${JSON.stringify(file, null, 2)}\n`,
  };
}
