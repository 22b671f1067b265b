import { errors } from "undici";
import type { Dispatcher } from "undici";
import { unsentError } from "./no-descriptor.ts";

/** Response headers by lower-case name. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The response of a push service. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** The start of the body, at most `MAX_ANSWER_BYTES` long. */
  readonly body: string;
}

/** The result of a request: `unsent` if nothing was sent, `lost` if it was sent and no answer came. */
export type Exchange =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "unsent"; readonly error: Error }
  | { readonly kind: "lost"; readonly error: Error };

/** A POST request and the signal that aborts it. */
export interface Posting {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

/** The maximum size of an answer's body; the rest is never read. */
export const MAX_ANSWER_BYTES = 4_096;

/** Sends one POST request and does not follow redirects. Rejects only if the request itself is malformed. */
export async function post(dispatcher: Dispatcher, posting: Posting): Promise<Exchange> {
  const { url, headers, body, signal } = posting;
  const handler = new AnswerHandler(signal);
  if (signal.aborted) return handler.exchange;
  try {
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: "POST",
        headers,
        body,
        // The signal bounds the whole request.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      handler,
    );
  } catch (error) {
    handler.fail(error instanceof Error ? error : new Error("Not dispatched.", { cause: error }));
  }
  return handler.exchange;
}

/**
 * Collects one answer. Implements undici's handler interface instead of calling its `request`: only a handler learns whether
 * the request was written, and so whether the server may have processed it.
 */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #result = Promise.withResolvers<Exchange>();
  readonly #signal: AbortSignal;
  readonly #chunks: Buffer[] = [];
  readonly #onAbort = (): void => {
    const error = new errors.RequestAbortedError();
    this.#controller?.abort(error);
    this.fail(error);
  };
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | null = null;
  #headers: AnswerHeaders = {};
  #size = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  get exchange(): Promise<Exchange> {
    return this.#result.promise;
  }

  /** Called when undici starts to write the request. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#signal.aborted) {
      controller.abort(new errors.RequestAbortedError());
      return;
    }
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    // Interim responses, such as 100 and 103.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk.subarray(0, MAX_ANSWER_BYTES - this.#size));
    this.#size += chunk.length;
    if (this.#size <= MAX_ANSWER_BYTES) return;
    this.#finish();
    controller.abort(new errors.ResponseExceededMaxSizeError());
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** Ends the exchange early. A status counts as an answer, even with an incomplete body. */
  fail(error: Error): void {
    if (this.#status !== null) this.#finish();
    else if (error instanceof errors.InvalidArgumentError) this.#result.reject(error);
    else if (this.#controller !== null) this.#settle({ kind: "lost", error });
    else this.#settle({ kind: "unsent", error: unsentError(error) });
  }

  #finish(): void {
    const body = Buffer.concat(this.#chunks).toString();
    const status = this.#status ?? 0;
    this.#settle({ kind: "answered", answer: { status, headers: this.#headers, body } });
  }

  #settle(exchange: Exchange): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#result.resolve(exchange);
  }
}
