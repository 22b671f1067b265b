import { errors, type Dispatcher } from "undici";
import { toUnsentError } from "./no-descriptor.ts";

/** Response headers by lower-case name. */
export type PushResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The response of a push service. */
export interface PushServiceResponse {
  readonly status: number;
  readonly headers: PushResponseHeaders;
  /** The start of the body, at most `RESPONSE_MAX_BYTES` long. */
  readonly body: string;
}

/** The result of a request: `unsent` if nothing was sent, `lost` if it was sent and no response came. */
export type PostExchange =
  | { readonly kind: "answered"; readonly response: PushServiceResponse }
  | { readonly kind: "unsent"; readonly error: Error }
  | { readonly kind: "lost"; readonly error: Error };

/** A POST request and the signal that aborts it. */
export interface PostRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

/** The maximum size of a response body; the rest is discarded. */
export const RESPONSE_MAX_BYTES = 4_096;

/** Sends one POST request and does not follow redirects. Rejects only if the request itself is malformed. */
export async function post(dispatcher: Dispatcher, request: PostRequest): Promise<PostExchange> {
  const { url, headers, body, signal } = request;
  const handler = new ResponseHandler(signal);
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
    handler.fail(
      error instanceof Error
        ? error
        : new Error("The request was not dispatched.", { cause: error }),
    );
  }
  return handler.exchange;
}

/**
 * Collects one response. Implements undici's handler interface instead of calling its `request`: only a handler learns
 * whether the request was written, and so whether the server may have processed it.
 */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #result = Promise.withResolvers<PostExchange>();
  readonly #signal: AbortSignal;
  readonly #chunks: Buffer[] = [];
  readonly #onAbort = (): void => {
    const error = new errors.RequestAbortedError();
    this.#controller?.abort(error);
    this.fail(error);
  };
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | null = null;
  #headers: PushResponseHeaders = {};
  #bodyBytes = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  get exchange(): Promise<PostExchange> {
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
    headers: PushResponseHeaders,
  ): void {
    // Interim responses, such as 100 and 103.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk.subarray(0, RESPONSE_MAX_BYTES - this.#bodyBytes));
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes <= RESPONSE_MAX_BYTES) return;
    this.#finish();
    controller.abort(new errors.ResponseExceededMaxSizeError());
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** Ends the exchange early. A status counts as a response, even with an incomplete body. */
  fail(error: Error): void {
    if (this.#status !== null) this.#finish();
    else if (error instanceof errors.InvalidArgumentError) this.#result.reject(error);
    else if (this.#controller !== null) this.#settle({ kind: "lost", error });
    else this.#settle({ kind: "unsent", error: toUnsentError(error) });
  }

  #finish(): void {
    const body = Buffer.concat(this.#chunks).toString();
    const status = this.#status ?? 0;
    this.#settle({ kind: "answered", response: { status, headers: this.#headers, body } });
  }

  #settle(exchange: PostExchange): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#result.resolve(exchange);
  }
}
