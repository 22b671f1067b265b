import { createHash, randomBytes } from "node:crypto";
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from "jose";
import { AppError } from "#errors.ts";
import {
  askProvider,
  createMetadataReader,
  unreachable,
  type OidcSettings,
  type ProviderMetadata,
} from "./provider-metadata.ts";

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

/** One identity provider, spoken to in the code flow (OpenID Connect Core 1.0, section 3.1). */
export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** What signs an id token; never what both sides know. */
const ALGORITHMS = [
  "RS256",
  "PS256",
  "ES256",
  "RS384",
  "ES384",
  "RS512",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const CLOCK_TOLERANCE_S = 60;
const KEYS_TIMEOUT_MS = 10_000;

/** Returns the client of one identity provider; it is asked only when somebody signs in. */
export function createIdentityProvider(
  settings: OidcSettings,
  { redirectUri, now }: { readonly redirectUri: string; readonly now: () => number },
) {
  const metadataOf = createMetadataReader(settings.issuer, now);
  const keysOf = createKeyReader();
  return {
    name: settings.name,
    issuer: settings.issuer,

    /** Returns new secrets, and where the browser goes with them. Throws `unavailable`. */
    async begin(stateOf: (secrets: SignInSecrets) => Promise<string>): Promise<URL> {
      const { authorizationUrl } = await metadataOf();
      const secrets = { nonce: newValue(), codeVerifier: newValue() };
      const url = new URL(authorizationUrl);
      const parameters = {
        response_type: "code",
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: await stateOf(secrets),
        nonce: secrets.nonce,
        code_challenge: createHash("sha256").update(secrets.codeVerifier).digest("base64url"),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },

    /** Returns whom a code stands for. Throws `unauthenticated` for a code or token that does not count, and `unavailable`. */
    async finish(code: string, secrets: SignInSecrets): Promise<Identity> {
      const metadata = await metadataOf();
      const { codeVerifier } = secrets;
      const exchange = { code, codeVerifier, redirectUri };
      const { idToken, accessToken } = await redeem(settings, { metadata, exchange });
      const keys = keysOf(metadata.keysUrl);
      const claims = await verified(idToken, { settings, keys, nonce: secrets.nonce, now });
      const isComplete = claims["email"] !== undefined || metadata.userInfoUrl === null;
      if (isComplete || accessToken === null) return identityOf(claims);
      return identityOf(await withUserInfo(claims, { metadata, accessToken }));
    },
  };
}

type Keys = ReturnType<typeof createRemoteJWKSet>;

function createKeyReader(): (url: URL) => Keys {
  let known: { readonly href: string; readonly keys: Keys } | null = null;
  return (url) => {
    if (known?.href !== url.href) {
      const keys = createRemoteJWKSet(url, { timeoutDuration: KEYS_TIMEOUT_MS });
      known = { href: url.href, keys };
    }
    return known.keys;
  };
}

async function redeem(
  { clientId, clientSecret }: OidcSettings,
  input: {
    readonly metadata: ProviderMetadata;
    readonly exchange: {
      readonly code: string;
      readonly codeVerifier: string;
      readonly redirectUri: string;
    };
  },
): Promise<{ readonly idToken: string; readonly accessToken: string | null }> {
  const { code, codeVerifier, redirectUri } = input.exchange;
  // RFC 6749 section 2.3.1: each is encoded as in a form before they are joined.
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const { status, body } = await askProvider(input.metadata.tokenUrl, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    }),
  });
  // RFC 6749 section 5.2: the code is over; every other refusal is of our credentials.
  if (status === 400 && body["error"] === "invalid_grant") throw refused();
  const { id_token: idToken, access_token: accessToken } = body;
  if (status !== 200 || typeof idToken !== "string") {
    throw unreachable(new Error(`The token endpoint answered ${status}.`));
  }
  return { idToken, accessToken: typeof accessToken === "string" ? accessToken : null };
}

/** OpenID Connect Core 1.0, section 3.1.3.7. */
async function verified(
  idToken: string,
  input: {
    readonly settings: OidcSettings;
    readonly keys: Keys;
    readonly nonce: string;
    readonly now: () => number;
  },
): Promise<JWTPayload> {
  const { settings, keys, nonce, now } = input;
  const claims = await verifyToken(idToken, { settings, keys, now });
  const { azp } = claims;
  const isOurs = azp === undefined || azp === settings.clientId;
  if (claims["nonce"] !== nonce || !isOurs) throw refused();
  return claims;
}

async function verifyToken(
  idToken: string,
  input: { readonly settings: OidcSettings; readonly keys: Keys; readonly now: () => number },
): Promise<JWTPayload> {
  const { issuer, clientId } = input.settings;
  try {
    const { payload } = await jwtVerify(idToken, input.keys, {
      issuer,
      audience: clientId,
      algorithms: ALGORITHMS,
      requiredClaims: ["sub", "exp", "iat"],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(input.now()),
    });
    return payload;
  } catch (error) {
    const isKeysFault = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
    // What is no error of the token's is one of the network.
    if (isKeysFault || !(error instanceof errors.JOSEError)) throw unreachable(error);
    throw refused();
  }
}

/** Section 5.3.2: an answer for another subject does not count. */
async function withUserInfo(
  claims: JWTPayload,
  input: { readonly metadata: ProviderMetadata; readonly accessToken: string },
): Promise<JWTPayload> {
  const { userInfoUrl } = input.metadata;
  if (userInfoUrl === null) return claims;
  const headers = { authorization: `Bearer ${input.accessToken}` };
  const { status, body } = await askProvider(userInfoUrl, { headers });
  if (status !== 200 || body["sub"] !== claims.sub) throw refused();
  return { ...body, ...claims };
}

function identityOf({ sub = "", ...claims }: JWTPayload): Identity {
  const { email, email_verified: isVerified, name } = claims;
  return {
    subject: sub,
    verifiedEmail: typeof email === "string" && isVerified === true ? email : null,
    name: typeof name === "string" ? name : null,
  };
}

function newValue(): string {
  return randomBytes(32).toString("base64url");
}

function refused(): AppError {
  const message = "The identity provider did not confirm this sign-in. Begin anew.";
  return new AppError("unauthenticated", message);
}
