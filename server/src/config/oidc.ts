import type { EnvironmentReader } from "./environment-reader.ts";

/** An OpenID Connect provider, and this server's registration with that provider. */
export interface OidcConfig {
  /** Exactly as the provider states it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Label of the sign-in button. */
  readonly name: string;
}

const NAME_MAX_CHARACTERS = 40;

/** Returns the settings of `TOCSIN_OIDC_…`; null if none of them is set. */
export function readOidc(reader: EnvironmentReader): OidcConfig | null {
  const issuer = reader.readText("TOCSIN_OIDC_ISSUER");
  const clientId = reader.readText("TOCSIN_OIDC_CLIENT_ID");
  const clientSecret = reader.readText("TOCSIN_OIDC_CLIENT_SECRET");
  const name = reader.readText("TOCSIN_OIDC_NAME");
  if (!issuer && !clientId && !clientSecret && !name) return null;
  // Only validates the URL. The issuer is compared character by character, so the original string is kept.
  const url = reader.readUrl("TOCSIN_OIDC_ISSUER", "https://id.example.org");
  if (!issuer)
    reader.problems.push("TOCSIN_OIDC_ISSUER: give the address of the identity provider.");
  if (!clientId) reader.problems.push("TOCSIN_OIDC_CLIENT_ID: give the client id of this server.");
  if (!clientSecret) {
    reader.problems.push("TOCSIN_OIDC_CLIENT_SECRET: give the secret of that client.");
  }
  if (name && name.length > NAME_MAX_CHARACTERS) {
    reader.problems.push(`TOCSIN_OIDC_NAME: give at most ${NAME_MAX_CHARACTERS} characters.`);
  }
  return {
    issuer: issuer ?? url,
    clientId: clientId ?? "",
    clientSecret: clientSecret ?? "",
    name: name ?? new URL(url).hostname,
  };
}
