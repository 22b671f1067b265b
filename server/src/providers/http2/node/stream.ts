import { constants } from "node:http2";
import type { ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from "node:http2";
import { MAX_ANSWER_BYTES } from "../../post.ts";
import type { AnswerHeaders } from "../../post.ts";
import type { StreamEnd } from "../connection.ts";

export interface StreamUse {
  readonly stream: ClientHttp2Stream;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** Asked when the stream has ended without an answer. */
  readonly isUnprocessed: () => boolean;
}

/** Writes the body of an open stream and reads its answer. Never rejects; the stream may live on a little. */
export async function converse(use: StreamUse): Promise<StreamEnd> {
  const conversation = new Conversation(use);
  use.stream.end(use.body);
  return conversation.end;
}

class Conversation {
  readonly #use: StreamUse;
  readonly #settled = Promise.withResolvers<StreamEnd>();
  readonly #chunks: Buffer[] = [];
  readonly #onAbort = (): void => this.#giveUp();
  #status: number | null = null;
  #headers: AnswerHeaders = {};
  #size = 0;
  #error: Error | null = null;

  constructor(use: StreamUse) {
    this.#use = use;
    const { stream, signal } = use;
    stream.on("response", (headers) => this.#onResponse(headers));
    stream.on("data", (chunk: Buffer) => this.#onData(chunk));
    stream.on("error", (error: Error) => {
      this.#error ??= error;
    });
    stream.on("close", () => this.#onClose());
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#giveUp();
  }

  get end(): Promise<StreamEnd> {
    return this.#settled.promise;
  }

  /** Interim answers (RFC 9110 section 15.2) are another event, to which nobody listens. */
  #onResponse(head: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    this.#status = head[":status"] ?? null;
    const fields = Object.entries(head).filter(([name]) => !name.startsWith(":"));
    this.#headers = Object.fromEntries(fields);
  }

  #onData(chunk: Buffer): void {
    this.#chunks.push(chunk.subarray(0, Math.max(0, MAX_ANSWER_BYTES - this.#size)));
    this.#size += chunk.length;
    if (this.#size <= MAX_ANSWER_BYTES) return;
    this.#settle();
    this.#cancel();
  }

  #giveUp(): void {
    this.#error = new Error("The request was given up.", { cause: this.#use.signal.reason });
    // What the far side says about it from here on is not waited for.
    this.#settle();
    this.#cancel();
  }

  #cancel(): void {
    this.#use.stream.close(constants.NGHTTP2_CANCEL);
  }

  #onClose(): void {
    if (this.#status === null && this.#use.isUnprocessed()) {
      this.#end({ kind: "refused", error: this.#error ?? new Error("The stream was refused.") });
    } else {
      this.#settle();
    }
  }

  /** A status that has come is an answer, however the body ended. */
  #settle(): void {
    if (this.#status === null) {
      const code = this.#use.stream.rstCode;
      const error = this.#error ?? new Error(`The stream ended with code ${code}, unanswered.`);
      this.#end({ kind: "lost", error });
      return;
    }
    const body = Buffer.concat(this.#chunks).toString();
    const answer = { status: this.#status, headers: this.#headers, body };
    this.#end({ kind: "answered", answer });
  }

  #end(end: StreamEnd): void {
    this.#use.signal.removeEventListener("abort", this.#onAbort);
    this.#settled.resolve(end);
  }
}
