/** Returns the name of one of our cookies; `__Host-` binds it to this host and to https (RFC 6265bis section 4.1.3.2). */
export function cookieName(purpose: "session" | "oidc", baseUrl: string): string {
  return `${baseUrl.startsWith("https://") ? "__Host-" : ""}tocsin_${purpose}`;
}
