import { TocsinError, type TocsinErrorFields } from "./errors.ts";
import { redactText } from "./redact.ts";
import { isHttpsExpected } from "./scheme-fault.ts";

/** The largest accepted response. A full page of the longest notifications takes about half of this. */
const RESPONSE_MAX_BYTES = 64 * 1_024 * 1_024;

/** A response whose body has been read completely. */
export interface BufferedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The parts of a request that error messages show, and the secrets that they must not contain. */
export interface ErrorContext {
  readonly operation: string;
  readonly host: string;
  readonly secrets: readonly string[];
}

/** Reads a response to its end; throws a RangeError past 64 MiB. */
export async function readResponse(response: Response): Promise<BufferedResponse> {
  const { status, headers } = response;
  if (response.body === null) return { status, headers, text: "" };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let sizeBytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return { status, headers, text: text + decoder.decode() };
    sizeBytes += value.byteLength;
    if (sizeBytes > RESPONSE_MAX_BYTES) {
      await reader.cancel();
      throw new RangeError("The response is too large.");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns whether the response is a redirect, which browsers show with the status 0. */
export function isRedirect(response: Response): boolean {
  return response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
}

/** Returns the error for a redirect. No redirect is followed, because it would send a key to another host. */
export function createRedirectError(
  { status, headers }: Response,
  { context, url }: { readonly context: ErrorContext; readonly url: string },
): TocsinError {
  const { operation, host } = context;
  const message = `${operation}: ${host} answered with a redirect${describeRedirectTarget(headers, url)}; set baseUrl to the final address`;
  return new TocsinError({ ...NO_DETAILS, status, code: "redirected", message });
}

/** Omits the path, which may repeat the key of the request. Browsers hide the target of a redirect. */
function describeRedirectTarget(headers: Headers, url: string): string {
  const location = headers.get("location");
  if (location === null || !URL.canParse(location, url)) return "";
  const { protocol, origin } = new URL(location, url);
  return /^https?:$/.test(protocol) ? ` to ${origin}` : "";
}

/** Returns the parsed body of a response; throws a TocsinError with the code `not_json` if it is not JSON. */
export function parseBody(response: BufferedResponse, context: ErrorContext): unknown {
  const body = parseJson(response.text);
  if (body === undefined) throw createNotJsonError(response, context);
  return body;
}

/** Returns the error that a refusal describes. */
export function parseError(response: BufferedResponse, context: ErrorContext): TocsinError {
  const body = parseJson(redactText(response.text, context.secrets));
  if (body === undefined) return createNotJsonError(response, context);
  const { message, error } = toRecord(body);
  const detail = toRecord(error);
  const code = toStringOrNull(error) ?? toStringOrNull(detail["code"]);
  return new TocsinError({
    status: response.status,
    code: code ?? "unexpected_answer",
    message:
      toStringOrNull(message) ??
      `${context.operation}: ${context.host} answered ${response.status}`,
    field: toStringOrNull(detail["field"]),
    requestId: toStringOrNull(detail["requestId"]),
    retryAfterMs: parseRetryAfterMs(response.headers),
    body,
  });
}

const NO_DETAILS = {
  field: null,
  requestId: null,
  retryAfterMs: null,
  body: null,
} satisfies Partial<TocsinErrorFields>;

/** Omits the body: a proxy's page may repeat the path, and with it a key. */
function createNotJsonError(
  response: BufferedResponse,
  { operation, host }: ErrorContext,
): TocsinError {
  const { status, headers } = response;
  if (isHttpsExpected(response)) {
    const message = `${operation}: ${host} speaks https: there; baseUrl must begin with https:`;
    return new TocsinError({ ...NO_DETAILS, status, code: "https_expected", message });
  }
  return new TocsinError({
    ...NO_DETAILS,
    status,
    code: "not_json",
    message: `${operation}: ${host} answered ${status} with something other than JSON`,
    retryAfterMs: parseRetryAfterMs(headers),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** RFC 9110 section 10.2.3. A date is compared with the response's own `Date`, so the local clock does not matter. */
function parseRetryAfterMs(headers: Headers): number | null {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const waitMs = Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function toStringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
