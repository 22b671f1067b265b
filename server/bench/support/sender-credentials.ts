import { generateProviderKey } from "../../test/doubles/apns/provider-key.ts";

/** The sender's contact for push services (RFC 8292 section 2.1). */
export const SUBJECT = "mailto:ops@example.org";

/** The sender's app on iPhones. */
export const APNS_TOPIC = "org.example.tocsin";

/** The base URL of the sender's server. */
export const BASE_URL = "https://tocsin.example.org";

/** Generates the sender's credentials for APNs. The private key is PKCS #8 in PEM. */
export function generateApnsSender() {
  const { privateKey, keyId } = generateProviderKey();
  return { privateKey, keyId, teamId: "ABCDE12345", topic: APNS_TOPIC };
}

/** Returns the `TOCSIN_APNS_…` variables of a server that sends to a service of these measurements. */
export function createApnsEnvironment(origin: string): Readonly<Record<string, string>> {
  const { privateKey, keyId, teamId, topic } = generateApnsSender();
  return {
    TOCSIN_APNS_KEY: privateKey,
    TOCSIN_APNS_KEY_ID: keyId,
    TOCSIN_APNS_TEAM_ID: teamId,
    TOCSIN_APNS_TOPIC: topic,
    TOCSIN_APNS_URL: origin,
    TOCSIN_APNS_SANDBOX_URL: origin,
  };
}
