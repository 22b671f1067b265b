import { TocsinError } from "./errors.ts";
import type { TocsinErrorFields } from "./errors.ts";
import { redactText } from "./redact.ts";
import { saysHttpsExpected } from "./scheme-fault.ts";

/** The largest answer, in bytes; a full page of the longest notifications is about half of it. */
const ANSWER_SIZE_LIMIT_BYTES = 64 * 1_024 * 1_024;

/** An answer read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The request as errors describe it. */
export interface Asked {
  readonly operation: string;
  readonly host: string;
  readonly secrets: readonly string[];
}

/** Reads an answer to its end; throws a RangeError past 64 MiB. */
export async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  if (response.body === null) return { status, headers, text: "" };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let sizeBytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return { status, headers, text: text + decoder.decode() };
    sizeBytes += value.byteLength;
    if (sizeBytes > ANSWER_SIZE_LIMIT_BYTES) {
      await reader.cancel();
      throw new RangeError("The answer is too large.");
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns whether the answer is a redirect; a browser shows that as a status of 0. */
export function isRedirect(response: Response): boolean {
  return response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
}

/** Returns the error for a redirect, which is not followed: it would carry a key to another host. */
export function redirectedError(
  { status, headers }: Response,
  { asked, url }: { readonly asked: Asked; readonly url: string },
): TocsinError {
  const { operation, host } = asked;
  const message = `${operation}: ${host} answered with a redirect${destinationOf(headers, url)}; set baseUrl to the final address`;
  return new TocsinError({ ...NOTHING_MORE, status, code: "redirected", message });
}

/** Omits the path: it may repeat ours, and with it a key. Browsers show nothing of a redirect. */
function destinationOf(headers: Headers, url: string): string {
  const location = headers.get("location");
  if (location === null || !URL.canParse(location, url)) return "";
  const { protocol, origin } = new URL(location, url);
  return /^https?:$/.test(protocol) ? ` to ${origin}` : "";
}

/** Returns the body of a successful answer; throws a TocsinError with the code `not_json`. */
export function parseBody(answer: Answer, asked: Asked): unknown {
  const body = parseJson(answer.text);
  if (body === undefined) throw notJsonError(answer, asked);
  return body;
}

/** Returns the error for a refusal. */
export function parseError(answer: Answer, asked: Asked): TocsinError {
  const body = parseJson(redactText(answer.text, asked.secrets));
  if (body === undefined) return notJsonError(answer, asked);
  const { message, error } = membersOf(body);
  const detail = membersOf(error);
  const code = textOf(error) ?? textOf(detail["code"]);
  return new TocsinError({
    status: answer.status,
    code: code ?? "unexpected_answer",
    message: textOf(message) ?? `${asked.operation}: ${asked.host} answered ${answer.status}`,
    field: textOf(detail["field"]),
    requestId: textOf(detail["requestId"]),
    retryAfterMs: retryAfterMs(answer.headers),
    body,
  });
}

const NOTHING_MORE = {
  field: null,
  requestId: null,
  retryAfterMs: null,
  body: null,
} satisfies Partial<TocsinErrorFields>;

/** Omits the text: a proxy's page may repeat the path, and with it a key. */
function notJsonError(answer: Answer, { operation, host }: Asked): TocsinError {
  const { status, headers } = answer;
  if (saysHttpsExpected(answer)) {
    const message = `${operation}: ${host} speaks https: there; baseUrl must begin with https:`;
    return new TocsinError({ ...NOTHING_MORE, status, code: "https_expected", message });
  }
  return new TocsinError({
    ...NOTHING_MORE,
    status,
    code: "not_json",
    message: `${operation}: ${host} answered ${status} with something other than JSON`,
    retryAfterMs: retryAfterMs(headers),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** RFC 9110 section 10.2.3; a date is measured against the answer's own `Date`, so that the local clock does not matter. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const waitMs = Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
