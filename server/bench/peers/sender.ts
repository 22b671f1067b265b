import { makeProviderKey } from "../../test/doubles/apns/provider-key.ts";

/** How push services reach the sender (RFC 8292 section 2.1). */
export const SUBJECT = "mailto:ops@example.org";

/** The sender's app on iPhones. */
export const APNS_TOPIC = "org.example.tocsin";

/** Where the sender's own pages are. */
export const BASE_URL = "https://tocsin.example.org";

/** Returns what the sender proves itself with to APNs; the private key is PKCS #8 in PEM. */
export function makeApnsSender() {
  const { privateKey, keyId } = makeProviderKey();
  return { privateKey, keyId, teamId: "ABCDE12345", topic: APNS_TOPIC };
}
