import { createHash, generateKeyPairSync, randomUUID, type KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { SignJWT } from "jose";
import { closeHttpServer, listen, LOOPBACK } from "./listen.ts";

/** The person's claims at the provider. */
export interface OidcPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly name?: string;
}

/** Deviations of the provider from its usual responses. */
export interface OidcScript {
  /** Overrides claims of the id token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The age of a new id token, in seconds. An id token is valid for five minutes. */
  readonly idTokenAgeS?: number;
  /** Signs with another key but the same key id. */
  readonly isForged?: boolean;
  /** Signs with the client's secret (HS256), or does not sign. */
  readonly algorithm?: "HS256" | "none";
  /** Overrides fields of the discovery document. */
  readonly discovery?: Readonly<Record<string, unknown>>;
  /** Overrides claims of the userinfo endpoint. */
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Returns the email only from the userinfo endpoint. */
  readonly hidesEmail?: boolean;
  /** Status of the token endpoint, which then issues no token. */
  readonly tokenStatus?: number;
  /** Body of the token endpoint with `tokenStatus`. */
  readonly tokenBody?: Readonly<Record<string, unknown>>;
  /** URL to which the token endpoint redirects. */
  readonly tokenLocation?: string;
}

const ID_TOKEN_LIFETIME_S = 300;

interface Grant {
  readonly person: OidcPerson;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * A strict OpenID Connect provider with one confidential client: only code flow, PKCE with S256, a nonce, the exact
 * redirect URI, single-use codes, and HTTP Basic at the token endpoint unless `script.discovery` names other methods.
 */
export class OidcProvider {
  static readonly clientId = "tocsin";
  static readonly clientSecret = "a secret: with % and + in it";

  script: OidcScript = {};
  readonly #redirectUri: string;
  readonly #server: Server;
  readonly #grants = new Map<string, Grant>();
  readonly #personByToken = new Map<string, OidcPerson>();
  readonly #key = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  readonly #otherKey = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  #port = 0;
  /** Paths of all requests. */
  readonly requestedPaths: string[] = [];

  static async start(redirectUri: string): Promise<OidcProvider> {
    const provider = new OidcProvider(redirectUri);
    provider.#port = await listen(provider.#server);
    return provider;
  }

  private constructor(redirectUri: string) {
    this.#redirectUri = redirectUri;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  get issuer(): string {
    return `http://${LOOPBACK}:${this.#port}`;
  }

  /**
   * Signs in a person as the authorization page would. Returns the parameters of the redirect. Throws for an invalid
   * link.
   */
  authorize(link: string, person: OidcPerson): { state: string; code: string; iss: string } {
    const url = new URL(link);
    const parameters = new Map(url.searchParams);
    const parameterPatterns: Readonly<Record<string, RegExp>> = {
      response_type: /^code$/,
      client_id: new RegExp(`^${OidcProvider.clientId}$`),
      scope: /\bopenid\b/,
      state: /^.{20,}$/,
      nonce: /^.{20,}$/,
      code_challenge: /^[\w-]{43}$/,
      code_challenge_method: /^S256$/,
    };
    if (`${url.origin}${url.pathname}` !== `${this.issuer}/authorize`)
      throw new Error("wrong endpoint");
    for (const [name, pattern] of Object.entries(parameterPatterns)) {
      if (!pattern.test(parameters.get(name) ?? "")) throw new Error(`invalid_request: ${name}`);
    }
    if (parameters.get("redirect_uri") !== this.#redirectUri) throw new Error("redirect_uri");
    const code = randomUUID();
    this.#grants.set(code, { person, parameters });
    return { state: parameters.get("state") ?? "", code, iss: this.issuer };
  }

  async close(): Promise<void> {
    await closeHttpServer(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await this.#respond(request);
    const { tokenLocation: location } = this.script;
    const headers = status === 307 && location !== undefined ? { location } : {};
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  }

  async #respond(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const path = request.url ?? "";
    this.requestedPaths.push(path);
    switch (path) {
      case "/.well-known/openid-configuration":
        return { status: 200, body: { ...this.#describeEndpoints(), ...this.script.discovery } };
      case "/keys": {
        const jwk = this.#key.publicKey.export({ format: "jwk" });
        return { status: 200, body: { keys: [{ ...jwk, kid: "one", use: "sig", alg: "RS256" }] } };
      }
      case "/token":
        return this.#exchangeCode(request);
      case "/userinfo": {
        const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
        const person = this.#personByToken.get(token);
        if (person === undefined) return { status: 401, body: {} };
        return { status: 200, body: { ...person, ...this.script.userInfo } };
      }
      default:
        return { status: 404, body: {} };
    }
  }

  #describeEndpoints() {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/userinfo`,
      id_token_signing_alg_values_supported: ["RS256"],
    };
  }

  async #exchangeCode(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    if (this.script.tokenLocation !== undefined) return { status: 307, body: {} };
    if (this.script.tokenStatus !== undefined) {
      return { status: this.script.tokenStatus, body: this.script.tokenBody ?? {} };
    }
    const form = new URLSearchParams(await readText(request));
    if (!this.#isClientAuthenticated(request, form))
      return { status: 401, body: { error: "invalid_client" } };
    const grant = this.#grants.get(form.get("code") ?? "");
    this.#grants.delete(form.get("code") ?? "");
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "");
    const isValid =
      form.get("grant_type") === "authorization_code" &&
      form.get("redirect_uri") === this.#redirectUri &&
      grant?.parameters.get("code_challenge") === challenge.digest("base64url");
    if (!isValid) return { status: 400, body: { error: "invalid_grant" } };
    const accessToken = randomUUID();
    this.#personByToken.set(accessToken, grant.person);
    const idToken = await this.#signIdToken(grant);
    return {
      status: 200,
      body: { access_token: accessToken, token_type: "Bearer", id_token: idToken },
    };
  }

  /**
   * Returns whether the request has the client's credentials: in the header, or in the body if discovery says so, but
   * not in both (RFC 6749 section 2.3.1).
   */
  #isClientAuthenticated({ headers }: IncomingMessage, form: URLSearchParams): boolean {
    const { clientId, clientSecret } = OidcProvider;
    const methods = this.script.discovery?.["token_endpoint_auth_methods_supported"];
    const encodedPair = /^Basic (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
    const pair = Buffer.from(encodedPair, "base64").toString().split(":");
    // Each half is form-encoded.
    const [id, secret] = pair.map((half) => new URLSearchParams(`=${half}`).get(""));
    if (methods === undefined) {
      return id === clientId && secret === clientSecret && !form.has("client_secret");
    }
    const isCorrect =
      form.get("client_id") === clientId && form.get("client_secret") === clientSecret;
    return isCorrect && headers.authorization === undefined;
  }

  async #signIdToken({ person, parameters }: Grant): Promise<string> {
    const { hidesEmail = false, isForged = false, algorithm, claims } = this.script;
    // The validating library uses the machine's clock.
    const issuedAt = Math.floor(Date.now() / 1_000) - (this.script.idTokenAgeS ?? 0);
    const payload = {
      iss: this.issuer,
      aud: OidcProvider.clientId,
      iat: issuedAt,
      exp: issuedAt + ID_TOKEN_LIFETIME_S,
      nonce: parameters.get("nonce"),
      ...(hidesEmail ? { sub: person.sub } : person),
      ...claims,
    };
    if (algorithm === "none") {
      const parts = [{ alg: "none" }, payload].map((part) => JSON.stringify(part));
      return `${parts.map((part) => Buffer.from(part).toString("base64url")).join(".")}.`;
    }
    const key: KeyObject | Uint8Array =
      algorithm === "HS256"
        ? Buffer.from(OidcProvider.clientSecret)
        : (isForged ? this.#otherKey : this.#key).privateKey;
    const header = { alg: algorithm ?? "RS256", kid: "one" };
    return new SignJWT(payload).setProtectedHeader(header).sign(key);
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
