import type { TestContext } from "node:test";
import type { Client } from "@tocsin/sdk";
import { createIdentityProvider } from "#accounts/oidc/identity-provider.ts";
import { OidcProvider, type OidcPerson } from "../doubles/oidc-provider.ts";
import { startAccountsServer, type AccountsServerOptions } from "./accounts-server.ts";
import { createRoomContext } from "./context.ts";

/** A person whose address the identity provider has verified. */
export const ANN_IDENTITY = {
  sub: "248289",
  name: "Ann Lee",
  email: "Ann@Example.org",
  email_verified: true,
};

const BASE_URL = "https://push.example.org";

/** Starts a server with an identity provider, and returns a function that signs a person in through the provider. */
export async function startOidcFixture(t: TestContext, options: AccountsServerOptions = {}) {
  const context = await createRoomContext(t);
  const redirectUri = `${BASE_URL}/sign-in/oidc`;
  const provider = await OidcProvider.start(redirectUri);
  t.after(() => provider.close());
  const { clientId, clientSecret } = OidcProvider;
  const settings = { issuer: provider.issuer, clientId, clientSecret, name: "Acme" };
  const { elapsed } = context;
  const identityProvider = createIdentityProvider(settings, { redirectUri, elapsed });
  const server = await startAccountsServer(t, context, {
    baseUrl: BASE_URL,
    identityProvider,
    ...options,
  });
  const signIn = async (browser: Client, person: OidcPerson, token?: string) => {
    const { url } = await browser.beginOidc(token === undefined ? {} : { token });
    return browser.finishOidc(provider.authorize(url, person));
  };
  return { context, provider, server, signIn };
}
