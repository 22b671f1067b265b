import { makeProviderKey } from "../../test/doubles/apns/provider-key.ts";

/** The contact of the sender for push services (RFC 8292 section 2.1). */
export const SUBJECT = "mailto:ops@example.org";

/** The sender's app on iPhones. */
export const APNS_TOPIC = "org.example.tocsin";

/** The address of the sender's own pages. */
export const BASE_URL = "https://tocsin.example.org";

/** Returns the sender's credentials for APNs; the private key is PKCS #8 in PEM. */
export function makeApnsSender() {
  const { privateKey, keyId } = makeProviderKey();
  return { privateKey, keyId, teamId: "ABCDE12345", topic: APNS_TOPIC };
}
