import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  type Configuration,
} from "openid-client";
import { createSignInRefusedError, toAppError } from "./provider-failure.ts";
import { createMetadataReader, type OidcSettings } from "./provider-metadata.ts";

/** A person that the identity provider signed in. */
export interface Identity {
  readonly subject: string;
  /** Null if the provider sends no verified address. */
  readonly verifiedEmail: string | null;
  readonly name: string | null;
}

/** The secrets of a sign-in, which only the starting browser and this server know. */
export interface SignInSecrets {
  readonly nonce: string;
  /** RFC 7636. */
  readonly codeVerifier: string;
}

/** The parameters of the identity provider's redirect back to this server. */
export interface AuthorizationResponse {
  readonly state: string;
  readonly code: string;
  /** RFC 9207; null if the provider does not send it. */
  readonly issuer: string | null;
}

/** The claims of an ID token or of the user info. */
interface Claims {
  readonly [name: string]: unknown;
}

interface SubjectClaims extends Claims {
  readonly sub: string;
}

/** Excludes control characters and lone surrogates, which a database may reject. */
const SUBJECT_PATTERN = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** An identity provider, used with the authorization code flow (OpenID Connect Core 1.0, section 3.1). */
export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** Creates the client of an identity provider. It connects only when a person signs in. */
export function createIdentityProvider(
  settings: OidcSettings,
  { redirectUri, elapsed }: { readonly redirectUri: string; readonly elapsed: () => number },
) {
  const readConfiguration = createMetadataReader(settings, elapsed);
  return {
    name: settings.name,
    issuer: settings.issuer,

    /**
     * Returns the authorization URL for the browser, with new secrets. `createState` stores them and returns the state.
     * Throws `unavailable` if the identity provider fails.
     */
    async begin(createState: (secrets: SignInSecrets) => Promise<string>): Promise<URL> {
      const configuration = await readConfiguration();
      const secrets = { nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
      return buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: await createState(secrets),
        nonce: secrets.nonce,
        code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: "S256",
      });
    },

    /**
     * Exchanges a code for the identity. Throws `unauthenticated` if the code or token is invalid, and `unavailable` if
     * the identity provider fails.
     */
    async finish(response: AuthorizationResponse, secrets: SignInSecrets): Promise<Identity> {
      const configuration = await readConfiguration();
      const callbackUrl = buildCallbackUrl(redirectUri, response);
      try {
        const { state } = response;
        return await fetchIdentity(configuration, { settings, callbackUrl, state, ...secrets });
      } catch (error) {
        throw toAppError(error);
      }
    },
  };
}

/** Returns the URL that the provider redirected the browser to. The library reads the response from it. */
function buildCallbackUrl(
  redirectUri: string,
  { state, code, issuer }: AuthorizationResponse,
): URL {
  const url = new URL(redirectUri);
  url.searchParams.set("state", state);
  url.searchParams.set("code", code);
  if (issuer !== null) url.searchParams.set("iss", issuer);
  return url;
}

async function fetchIdentity(
  configuration: Configuration,
  input: SignInSecrets & {
    readonly settings: OidcSettings;
    readonly callbackUrl: URL;
    readonly state: string;
  },
): Promise<Identity> {
  const tokens = await authorizationCodeGrant(configuration, input.callbackUrl, {
    expectedState: input.state,
    expectedNonce: input.nonce,
    pkceCodeVerifier: input.codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw createSignInRefusedError();
  requireSubject(claims.sub);
  requireOwnToken(claims, input.settings);
  const isComplete = claims["email"] !== undefined && claims["email_verified"] !== undefined;
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) {
    return toIdentity(claims, claims);
  }
  // OpenID Connect Core 1.0, section 5.3.2: a response for another subject must not be used.
  const userInfo = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
  // Address and `email_verified` come from the same source: neither source vouches for an address in the other.
  const emailClaims = userInfo["email"] === undefined ? claims : userInfo;
  return { ...toIdentity(claims, emailClaims), name: findName(claims) ?? findName(userInfo) };
}

/** OpenID Connect Core 1.0, section 2: at most 255 characters. An empty subject would be shared by all people. */
function requireSubject(subject: unknown): void {
  if (typeof subject !== "string" || !SUBJECT_PATTERN.test(subject))
    throw createSignInRefusedError();
}

/** OpenID Connect Core 1.0, section 3.1.3.7: the library checks `azp` only if there are several audiences. */
function requireOwnToken({ azp }: SubjectClaims, { clientId }: OidcSettings): void {
  if (azp !== undefined && azp !== clientId) throw createSignInRefusedError();
}

function toIdentity(
  claims: SubjectClaims,
  { email, email_verified: isVerified }: Claims,
): Identity {
  return {
    subject: claims.sub,
    verifiedEmail: typeof email === "string" && isVerified === true ? email : null,
    name: findName(claims),
  };
}

function findName({ name }: Claims): string | null {
  return typeof name === "string" && name.trim() !== "" ? name : null;
}
