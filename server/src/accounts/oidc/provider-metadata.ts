import { AppError } from "#errors.ts";

/** The identity provider as an operator names it. */
export interface OidcSettings {
  /** Exactly as the provider says it of itself. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** For the button. */
  readonly name: string;
}

/** Where an identity provider is asked for what (OpenID Connect Discovery 1.0, section 3). */
export interface ProviderMetadata {
  readonly authorizationUrl: URL;
  readonly tokenUrl: URL;
  readonly keysUrl: URL;
  /** Null where it tells everything in its tokens. */
  readonly userInfoUrl: URL | null;
}

const TIMEOUT_MS = 10_000;
const ANSWER_MAX_BYTES = 256 * 1_024;
/** Endpoints move seldom; keys are looked up anew whenever one is unknown. */
const LIFE_MS = 60 * 60_000;

/** Returns a reader of an identity provider's metadata: asked when it is needed, kept for an hour, and again after a failure. */
export function createMetadataReader(issuer: string, now: () => number) {
  let known: { readonly metadata: ProviderMetadata; readonly until: number } | null = null;
  let asking: Promise<ProviderMetadata> | null = null;
  return async (): Promise<ProviderMetadata> => {
    if (known !== null && now() < known.until) return known.metadata;
    asking ??= readMetadata(issuer).finally(() => {
      asking = null;
    });
    const metadata = await asking;
    known = { metadata, until: now() + LIFE_MS };
    return metadata;
  };
}

/** Asks an identity provider and returns status and JSON; throws `unavailable` for anything that is no answer in JSON. */
export async function askProvider(
  url: URL,
  init: RequestInit,
): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // A redirect could carry the client's secret elsewhere.
    const response = await fetch(url, { ...init, redirect: "error", signal });
    return { status: response.status, body: parseRecord(await readText(response)) };
  } catch (cause) {
    throw unreachable(cause);
  }
}

/** Returns the error for an identity provider that does not answer as it should. */
export function unreachable(cause: unknown): AppError {
  const message = "The identity provider does not answer as it should. Try again later.";
  return new AppError("unavailable", message, { cause });
}

async function readMetadata(issuer: string): Promise<ProviderMetadata> {
  // Section 4: the path stands after that of the issuer.
  const url = new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const { status, body } = await askProvider(url, {});
  // Section 4.3: else one provider could speak for another.
  if (status !== 200 || body["issuer"] !== issuer) {
    throw unreachable(new Error(`Discovery was answered with ${status}, or for another issuer.`));
  }
  return {
    authorizationUrl: endpointOf(body["authorization_endpoint"]),
    tokenUrl: endpointOf(body["token_endpoint"]),
    keysUrl: endpointOf(body["jwks_uri"]),
    userInfoUrl:
      body["userinfo_endpoint"] === undefined ? null : endpointOf(body["userinfo_endpoint"]),
  };
}

/** Plain http is for providers on this machine alone. */
function endpointOf(value: unknown): URL {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : null;
  const isHere = url?.hostname === "localhost" || url?.hostname === "127.0.0.1";
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isHere)) return url;
  throw unreachable(new Error("Discovery names an endpoint that is no https address."));
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > ANSWER_MAX_BYTES) throw new RangeError("The answer is too large.");
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

function parseRecord(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) throw new TypeError("The answer is no object.");
  // A record is what the condition says.
  return value as Readonly<Record<string, unknown>>;
}
