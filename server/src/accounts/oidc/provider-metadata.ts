import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ClientAuth,
  type Configuration,
  type CustomFetchOptions,
} from "openid-client";
import { unreachable } from "./provider-failure.ts";

/** The identity provider as the operator configures it. */
export interface OidcSettings {
  /** Exactly as in the provider's own metadata. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The label of the sign-in button. */
  readonly name: string;
}

const TIMEOUT_S = 10;
const CLOCK_TOLERANCE_S = 60;
const ANSWER_MAX_BYTES = 256 * 1_024;
/** Endpoints rarely change; the library refreshes keys by itself. */
const LIFE_MS = 60 * 60_000;

/** Returns a reader of an identity provider's metadata: it asks when they are needed, keeps them for an hour, and asks again after a failure. */
export function createMetadataReader(settings: OidcSettings, elapsed: () => number) {
  let known: { readonly configuration: Configuration; readonly until: number } | null = null;
  let asking: Promise<Configuration> | null = null;
  return async (): Promise<Configuration> => {
    if (known !== null && elapsed() < known.until) return known.configuration;
    asking ??= discover(settings).finally(() => {
      asking = null;
    });
    const configuration = await asking;
    known = { configuration, until: elapsed() + LIFE_MS };
    return configuration;
  };
}

async function discover(settings: OidcSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  try {
    const url = new URL(issuer);
    // Without it the library trusts the connection instead of the token's signature.
    const extensions = [enableNonRepudiationChecks];
    const metadata = { [clockTolerance]: CLOCK_TOLERANCE_S };
    const configuration = await discovery(url, clientId, metadata, authenticateBy(clientSecret), {
      timeout: TIMEOUT_S,
      [customFetch]: ask,
      execute: isHere(url) ? [...extensions, allowInsecureRequests] : extensions,
    });
    requireOwnMetadata(configuration, issuer);
    return configuration;
  } catch (cause) {
    throw unreachable(cause);
  }
}

/**
 * OpenID Connect Core 1.0, section 9: in the body if the provider accepts that, since providers decode the header
 * differently.
 */
function authenticateBy(clientSecret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    const authenticate = methods.includes("client_secret_post") ? post : basic;
    authenticate(server, ...request);
  };
}

/**
 * OpenID Connect Discovery 1.0, section 4.3: otherwise one provider could speak for another. The library tolerates some
 * differences.
 */
function requireOwnMetadata(configuration: Configuration, issuer: string): void {
  const metadata = configuration.serverMetadata();
  if (metadata.issuer !== issuer) throw new Error("Discovery was answered for another issuer.");
  requireSafe(metadata.authorization_endpoint);
  requireSafe(metadata.token_endpoint);
  requireSafe(metadata.jwks_uri);
  if (metadata.userinfo_endpoint !== undefined) requireSafe(metadata.userinfo_endpoint);
}

/** Fetches for the library, but never in the clear, and only answers of bounded size. */
async function ask(url: string, { body = null, ...options }: CustomFetchOptions) {
  requireSafe(url);
  const response = await fetch(url, { ...options, body });
  const { status, headers } = response;
  const answer = await readBytes(response);
  return new Response(answer.byteLength === 0 ? null : answer, { status, headers });
}

/** Plain http is allowed only for providers on this machine. */
function requireSafe(address: string | undefined): void {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isHere(url))) return;
  throw new Error("The identity provider names an endpoint that is no https address.");
}

function isHere({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1";
}

async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > ANSWER_MAX_BYTES) throw new RangeError("The answer is too large.");
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
