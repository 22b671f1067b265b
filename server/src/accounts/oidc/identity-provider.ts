import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  type Configuration,
} from "openid-client";
import { refused, verdictOn } from "./provider-failure.ts";
import { createMetadataReader, type OidcSettings } from "./provider-metadata.ts";

/** Whom the identity provider signed in. */
export interface Identity {
  readonly subject: string;
  /** Null where the provider tells none that it verified. */
  readonly verifiedEmail: string | null;
  readonly name: string | null;
}

/** What only the browser that began a sign-in, and this server, may know of it. */
export interface SignInSecrets {
  readonly nonce: string;
  /** RFC 7636. */
  readonly codeVerifier: string;
}

/** What a browser brings back from the identity provider. */
export interface AuthorizationAnswer {
  readonly state: string;
  readonly code: string;
  /** RFC 9207; null where the provider does not send it. */
  readonly issuer: string | null;
}

interface Claims {
  readonly sub: string;
  readonly [name: string]: unknown;
}

/** One identity provider, spoken to in the code flow (OpenID Connect Core 1.0, section 3.1). */
export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** Returns the client of one identity provider; it is asked only when somebody signs in. */
export function createIdentityProvider(
  settings: OidcSettings,
  { redirectUri, now }: { readonly redirectUri: string; readonly now: () => number },
) {
  const configurationOf = createMetadataReader(settings, now);
  return {
    name: settings.name,
    issuer: settings.issuer,

    /** Returns where the browser goes, with new secrets and the state made of them. Throws `unavailable`. */
    async begin(stateOf: (secrets: SignInSecrets) => Promise<string>): Promise<URL> {
      const configuration = await configurationOf();
      const secrets = { nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
      return buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: await stateOf(secrets),
        nonce: secrets.nonce,
        code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: "S256",
      });
    },

    /** Returns whom a code stands for. Throws `unauthenticated` for a code or token that does not count, and `unavailable`. */
    async finish(answer: AuthorizationAnswer, secrets: SignInSecrets): Promise<Identity> {
      const configuration = await configurationOf();
      const address = addressOf(redirectUri, answer);
      try {
        return identityOf(
          await claimsOf(configuration, { address, state: answer.state, ...secrets }),
        );
      } catch (error) {
        throw verdictOn(error);
      }
    },
  };
}

/** Returns the address to which the provider sent the browser: the library reads the answer from there. */
function addressOf(redirectUri: string, { state, code, issuer }: AuthorizationAnswer): URL {
  const url = new URL(redirectUri);
  url.searchParams.set("state", state);
  url.searchParams.set("code", code);
  if (issuer !== null) url.searchParams.set("iss", issuer);
  return url;
}

async function claimsOf(
  configuration: Configuration,
  input: SignInSecrets & { readonly address: URL; readonly state: string },
): Promise<Claims> {
  const tokens = await authorizationCodeGrant(configuration, input.address, {
    expectedState: input.state,
    expectedNonce: input.nonce,
    pkceCodeVerifier: input.codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw refused();
  const isComplete = claims["email"] !== undefined;
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  // OpenID Connect Core 1.0, section 5.3.2: an answer for another subject does not count.
  const more = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return { ...more, ...claims };
}

function identityOf({ sub, ...claims }: Claims): Identity {
  const { email, email_verified: isVerified, name } = claims;
  return {
    subject: sub,
    verifiedEmail: typeof email === "string" && isVerified === true ? email : null,
    name: typeof name === "string" ? name : null,
  };
}
