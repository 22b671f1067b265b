import { AppError } from "#errors.ts";

/** A page of messages that an app asks for, newest first. */
export interface MessagePageRequest {
  readonly limit: number;
  /** Only messages with a smaller number; null for the newest. */
  readonly before: number | null;
}

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 200;
/** A whole number that is safe as a JavaScript number. */
const WHOLE_NUMBER = /^\d{1,15}$/;

/** Returns the page that a query asks for; throws `invalid_field`. */
export function parsePageRequest(query: Readonly<Record<string, unknown>>): MessagePageRequest {
  const limit = readNumber(query, "limit") ?? LIMIT_DEFAULT;
  if (limit < 1 || limit > LIMIT_MAX) throw invalidQuery("limit", `must be from 1 to ${LIMIT_MAX}`);
  const since = readNumber(query, "since") ?? 0;
  return { limit, before: since === 0 ? null : since };
}

function readNumber(query: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = query[name];
  if (value === undefined || value === "") return null;
  if (typeof value !== "string" || !WHOLE_NUMBER.test(value))
    throw invalidQuery(name, "must be a whole number");
  return Number(value);
}

/** Returns the number in a path; null for any other text. */
export function parsePathNumber(text: string): number | null {
  return WHOLE_NUMBER.test(text) ? Number(text) : null;
}

function invalidQuery(field: string, problem: string): AppError {
  return new AppError("invalid_field", `Field '${field}' ${problem}`, { field });
}

/** The parts of the URL of the next page. */
export interface PageContext {
  readonly limit: number;
  /** The URL of the list, without a query. */
  readonly url: string;
}

/**
 * Returns a page as Gotify writes it (`api/message.go`). A full page names a next one, which may be empty: a message that
 * is read counts as fetched once the response is written, so the server does not read ahead.
 */
export function createPage<Message extends { readonly id: number }>(
  messages: readonly Message[],
  { limit, url }: PageContext,
) {
  const since = messages.length === limit ? (messages.at(-1)?.id ?? 0) : 0;
  const next = since === 0 ? {} : { next: `${url}?limit=${limit}&since=${since}` };
  return { paging: { size: messages.length, limit, since, ...next }, messages };
}
