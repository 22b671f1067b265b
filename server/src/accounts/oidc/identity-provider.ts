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

/** A person that the identity provider signed in. */
export interface Identity {
  readonly subject: string;
  /** Null if the provider sends no verified address. */
  readonly verifiedEmail: string | null;
  readonly name: string | null;
}

/** The secrets of a sign-in, known only to the browser that began it and to this server. */
export interface SignInSecrets {
  readonly nonce: string;
  /** RFC 7636. */
  readonly codeVerifier: string;
}

/** The parameters with which the identity provider redirects a browser back. */
export interface AuthorizationAnswer {
  readonly state: string;
  readonly code: string;
  /** RFC 9207; null if the provider does not send it. */
  readonly issuer: string | null;
}

/** Claims of an id token or of the user info. */
interface Claims {
  readonly [name: string]: unknown;
}

interface SubjectClaims extends Claims {
  readonly sub: string;
}

/** Excludes control characters and lone surrogates, which a database may refuse. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** One identity provider, used in the code flow (OpenID Connect Core 1.0, section 3.1). */
export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** Returns the client of one identity provider; it connects only when somebody signs in. */
export function createIdentityProvider(
  settings: OidcSettings,
  { redirectUri, elapsed }: { readonly redirectUri: string; readonly elapsed: () => number },
) {
  const configurationOf = createMetadataReader(settings, elapsed);
  return {
    name: settings.name,
    issuer: settings.issuer,

    /** Returns the URL for the browser, with new secrets and the state made of them. Throws `unavailable`. */
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

    /** Returns the identity behind a code. Throws `unauthenticated` for an invalid code or token, and `unavailable`. */
    async finish(answer: AuthorizationAnswer, secrets: SignInSecrets): Promise<Identity> {
      const configuration = await configurationOf();
      const address = addressOf(redirectUri, answer);
      try {
        const { state } = answer;
        return await identityFrom(configuration, { settings, address, state, ...secrets });
      } catch (error) {
        throw verdictOn(error);
      }
    },
  };
}

/** Returns the address to which the provider redirected the browser: the library reads the answer from there. */
function addressOf(redirectUri: string, { state, code, issuer }: AuthorizationAnswer): URL {
  const url = new URL(redirectUri);
  url.searchParams.set("state", state);
  url.searchParams.set("code", code);
  if (issuer !== null) url.searchParams.set("iss", issuer);
  return url;
}

async function identityFrom(
  configuration: Configuration,
  input: SignInSecrets & {
    readonly settings: OidcSettings;
    readonly address: URL;
    readonly state: string;
  },
): Promise<Identity> {
  const tokens = await authorizationCodeGrant(configuration, input.address, {
    expectedState: input.state,
    expectedNonce: input.nonce,
    pkceCodeVerifier: input.codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw refused();
  requireSubject(claims.sub);
  requireOwnToken(claims, input.settings);
  const isComplete = claims["email"] !== undefined && claims["email_verified"] !== undefined;
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) {
    return identityOf(claims, claims);
  }
  // OpenID Connect Core 1.0, section 5.3.2: an answer for another subject must not be used.
  const more = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
  // An address in one of them is not verified by the flag in the other.
  const told = more["email"] === undefined ? claims : more;
  return { ...identityOf(claims, told), name: nameIn(claims) ?? nameIn(more) };
}

/** OpenID Connect Core 1.0, section 2: at most 255 characters. An empty one would be the same for everybody. */
function requireSubject(subject: unknown): void {
  if (typeof subject !== "string" || !SUBJECT.test(subject)) throw refused();
}

/** OpenID Connect Core 1.0, section 3.1.3.7: the library checks `azp` only if there are several audiences. */
function requireOwnToken({ azp }: SubjectClaims, { clientId }: OidcSettings): void {
  if (azp !== undefined && azp !== clientId) throw refused();
}

function identityOf(
  claims: SubjectClaims,
  { email, email_verified: isVerified }: Claims,
): Identity {
  return {
    subject: claims.sub,
    verifiedEmail: typeof email === "string" && isVerified === true ? email : null,
    name: nameIn(claims),
  };
}

function nameIn({ name }: Claims): string | null {
  return typeof name === "string" && name.trim() !== "" ? name : null;
}
