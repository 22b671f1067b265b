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
import { createProviderUnavailableError } from "./provider-failure.ts";

/** The identity provider as the operator configures it. */
export interface OidcSettings {
  /** Exactly as in the provider's own metadata. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The label of the sign-in button. */
  readonly name: string;
}

const TIMEOUT_SECONDS = 10;
const CLOCK_TOLERANCE_SECONDS = 60;
const RESPONSE_MAX_BYTES = 256 * 1_024;
/** Endpoints rarely change. The library refreshes keys itself. */
const CACHE_TTL_MS = 60 * 60_000;

/**
 * Creates a reader of an identity provider's metadata, which are fetched on demand, cached for an hour, and fetched
 * again after a failure.
 */
export function createMetadataReader(settings: OidcSettings, elapsed: () => number) {
  let cached: { readonly configuration: Configuration; readonly expiresAt: number } | null = null;
  let pending: Promise<Configuration> | null = null;
  return async (): Promise<Configuration> => {
    if (cached !== null && elapsed() < cached.expiresAt) return cached.configuration;
    pending ??= discoverProvider(settings).finally(() => {
      pending = null;
    });
    const configuration = await pending;
    cached = { configuration, expiresAt: elapsed() + CACHE_TTL_MS };
    return configuration;
  };
}

async function discoverProvider(settings: OidcSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  try {
    const url = new URL(issuer);
    // Without this, the library trusts the connection instead of the token's signature.
    const extensions = [enableNonRepudiationChecks];
    const metadata = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const configuration = await discovery(url, clientId, metadata, createClientAuth(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      [customFetch]: fetchLimited,
      execute: isLocalHost(url) ? [...extensions, allowInsecureRequests] : extensions,
    });
    requireOwnMetadata(configuration, issuer);
    return configuration;
  } catch (cause) {
    throw createProviderUnavailableError(cause);
  }
}

/**
 * OpenID Connect Core 1.0, section 9. Sends the secret in the body if the provider accepts it, because providers
 * decode the header differently.
 */
function createClientAuth(clientSecret: string): ClientAuth {
  const useBasicAuth = ClientSecretBasic(clientSecret);
  const usePostAuth = ClientSecretPost(clientSecret);
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    const authenticate = methods.includes("client_secret_post") ? usePostAuth : useBasicAuth;
    authenticate(server, ...request);
  };
}

/**
 * OpenID Connect Discovery 1.0, section 4.3: otherwise one provider could impersonate another. The library tolerates
 * some differences.
 */
function requireOwnMetadata(configuration: Configuration, issuer: string): void {
  const metadata = configuration.serverMetadata();
  if (metadata.issuer !== issuer) throw new Error("The metadata are for another issuer.");
  requireHttps(metadata.authorization_endpoint);
  requireHttps(metadata.token_endpoint);
  requireHttps(metadata.jwks_uri);
  if (metadata.userinfo_endpoint !== undefined) requireHttps(metadata.userinfo_endpoint);
}

/** Fetches for the library, but only over TLS, and only responses of limited size. */
async function fetchLimited(url: string, { body = null, ...options }: CustomFetchOptions) {
  requireHttps(url);
  const response = await fetch(url, { ...options, body });
  const { status, headers } = response;
  const bytes = await readBytes(response);
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers });
}

/** Plain http is allowed only for providers on this machine. */
function requireHttps(endpoint: string | undefined): void {
  const url = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocalHost(url))) return;
  throw new Error("The identity provider names an endpoint that is not an https URL.");
}

function isLocalHost({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1";
}

async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > RESPONSE_MAX_BYTES) throw new RangeError("The response is too large.");
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
