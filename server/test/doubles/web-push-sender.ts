import { Agent, request, type Dispatcher } from "undici";
import webPush, { type RequestOptions } from "web-push";

/** A browser's subscription. */
export interface PushTarget {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** The push service's response. */
export interface PushResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A complete push request, which a test may change before it is sent. */
export interface ComposedRequest {
  readonly endpoint: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The largest text in bytes: a body of 4096 bytes less the header, the delimiter and the tag (RFC 8291 section 4). */
export const TEXT_MAX_BYTES = 3_993;
/** The header of a body: salt, record size, and the sender's key with its length (RFC 8188 section 2.1). */
const HEADER_BYTES = 86;
const TIMEOUT_MS = 20_000;

/** A sender based on the independent npm package web-push, which must agree with the doubles. */
export class WebPushSender {
  readonly keys = webPush.generateVAPIDKeys();
  readonly #agent: Agent;

  /** Without `connect`, the sender supports only plain HTTP. */
  constructor(connect?: Agent.Options["connect"]) {
    this.#agent = new Agent(connect === undefined ? {} : { connect });
  }

  /** Returns a complete request: encrypted, signed and with all required headers. */
  compose(target: PushTarget, text: string, options: RequestOptions = {}): ComposedRequest {
    const { publicKey, privateKey } = this.keys;
    const { endpoint, method, headers, body } = webPush.generateRequestDetails(target, text, {
      TTL: 60,
      urgency: "high",
      contentEncoding: "aes128gcm",
      vapidDetails: { subject: "mailto:ops@example.org", publicKey, privateKey },
      ...options,
    });
    return { endpoint, method, headers: { ...headers }, body };
  }

  /** Returns a request like `compose`, but with a flipped bit in the ciphertext, so that no browser can decrypt it. */
  composeDamaged(target: PushTarget, text: string): ComposedRequest {
    const request = this.compose(target, text);
    const body = Buffer.from(request.body);
    body.writeUInt8(body.readUInt8(HEADER_BYTES) ^ 1, HEADER_BYTES);
    return { ...request, body };
  }

  /** Sends a request and returns the response. */
  async post({ endpoint, ...composed }: ComposedRequest): Promise<PushResponse> {
    const response = await request(endpoint, {
      ...composed,
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text };
  }

  /** Composes and sends a message. Returns the status. */
  async send(target: PushTarget, text: string, options: RequestOptions = {}): Promise<number> {
    const { status } = await this.post(this.compose(target, text, options));
    return status;
  }

  /** Closes the connections and aborts pending requests. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
