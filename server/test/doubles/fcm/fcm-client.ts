import { sign } from "node:crypto";
import { Agent, request } from "undici";
import type { FcmService } from "./fcm-service.ts";
import { JWT_BEARER } from "./oauth-rules.ts";
import { GOOGLE_TOKEN_URL } from "./service-account.ts";

/** A response of the double, with its body as text. */
export interface ClientResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

type Json = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 20_000;

/** Sends any request to the double, valid or not, for tests of its rules. */
export class FcmClient {
  readonly #service: FcmService;
  readonly #agent: Agent;
  readonly #account: Json;

  constructor(service: FcmService) {
    this.#service = service;
    this.#agent = new Agent({ allowH2: true, connect: { ca: service.ca } });
    this.#account = { ...JSON.parse(service.credentials) };
  }

  /** Returns a valid assertion with the test's overrides. */
  createAssertion(overrides: { readonly claims?: Json; readonly header?: Json } = {}): string {
    const iat = Math.floor(Date.now() / 1000);
    const { client_email: iss, private_key_id: kid } = this.#account;
    const scope = "https://www.googleapis.com/auth/firebase.messaging";
    const header = { alg: "RS256", typ: "JWT", kid, ...overrides.header };
    const claims = {
      iss,
      scope,
      aud: GOOGLE_TOKEN_URL,
      iat,
      exp: iat + 3_600,
      ...overrides.claims,
    };
    const signedPart = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const signature = sign("sha256", Buffer.from(signedPart), String(this.#account["private_key"]));
    return `${signedPart}.${signature.toString("base64url")}`;
  }

  /** Requests an access token. */
  async requestAccessToken(assertion: string, grantType = JWT_BEARER): Promise<ClientResponse> {
    const body = new URLSearchParams({ grant_type: grantType, assertion }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return this.post(this.#service.tokenUrl, headers, body);
  }

  /** Returns a valid access token. */
  async fetchAccessToken(claims: Json = {}): Promise<string> {
    const { status, text } = await this.requestAccessToken(this.createAssertion({ claims }));
    if (status !== 200) throw new Error(`No access token: ${status} ${text}`);
    const response: { readonly access_token: string } = JSON.parse(text);
    return response.access_token;
  }

  /** Posts a body to `messages:send` of the service's project, or of another. */
  async send(
    token: string,
    body: unknown,
    projectId = this.#service.projectId,
  ): Promise<ClientResponse> {
    const url = `${this.#service.origin}/v1/projects/${projectId}/messages:send`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return this.post(url, headers, typeof body === "string" ? body : JSON.stringify(body));
  }

  async post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<ClientResponse> {
    const response = await request(url, {
      method: "POST",
      headers,
      body,
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text };
  }

  /** Closes the connections and aborts pending requests. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
