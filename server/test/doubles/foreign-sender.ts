import { Agent, request } from "undici";
import type { Dispatcher } from "undici";
import webPush from "web-push";
import type { RequestOptions } from "web-push";

/** The subscription that a browser hands to the sender. */
export interface Target {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** The push service's answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One request before it leaves, for a test to spoil. */
export interface Letter {
  readonly endpoint: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const TIMEOUT_MS = 20_000;

/** A sender that others wrote, the npm package web-push: it and the doubles must agree. */
export class ForeignSender {
  readonly keys = webPush.generateVAPIDKeys();
  readonly #agent: Agent;

  /** Without `connect` it reaches plain HTTP only. */
  constructor(connect?: Agent.Options["connect"]) {
    this.#agent = new Agent(connect === undefined ? {} : { connect });
  }

  /** Returns a complete request: encrypted, signed, with the headers that browsers' services ask for. */
  compose(target: Target, text: string, options: RequestOptions = {}): Letter {
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

  /** Sends a request and returns the answer. */
  async post({ endpoint, ...letter }: Letter): Promise<Answer> {
    const answer = await request(endpoint, {
      ...letter,
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text };
  }

  /** Composes and sends; returns the status. */
  async send(target: Target, text: string, options: RequestOptions = {}): Promise<number> {
    const { status } = await this.post(this.compose(target, text, options));
    return status;
  }

  /** Closes the connections, whatever is under way on them. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
