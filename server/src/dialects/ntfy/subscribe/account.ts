import { cleanText } from "#content/readers.ts";
import type { AppOwner } from "../../dialect.ts";
import { foldNames } from "../../fold-names.ts";
import { parseForeignJson } from "../../foreign-json.ts";
import { NtfyError } from "../ntfy-error.ts";

/** Tells programs that there is no limit: the API has whole numbers only. */
const UNLIMITED = 2 ** 31 - 1;

/**
 * Returns the account of an app. Home Assistant's client reads all ten numbers (tr4nt0r/aiontfy: types.py, Stats). This
 * server sends neither emails nor calls for ntfy, and has neither reservations nor files.
 */
export function createAccountAnswer({ email, sentTodayCount }: AppOwner) {
  return {
    username: email,
    role: "user",
    stats: {
      messages: sentTodayCount,
      messages_remaining: UNLIMITED,
      emails: 0,
      emails_remaining: 0,
      calls: 0,
      calls_remaining: 0,
      reservations: 0,
      reservations_remaining: 0,
      attachment_total_size: 0,
      attachment_total_size_remaining: 0,
    },
  };
}

/** Returns the label in the body of a request for a token; "" if it has none. Throws 40024 for other JSON. */
export function parseTokenLabel(body: Uint8Array): string {
  const value = parseBody(body) ?? {};
  if (typeof value !== "object" || Array.isArray(value)) throw new NtfyError(40024);
  const { label } = foldNames(value);
  if (label === undefined || label === null) return "";
  if (typeof label !== "string") throw new NtfyError(40024, "label must be a text");
  return cleanText(label).replaceAll(/\s+/g, " ").trim().slice(0, LABEL_LENGTH_MAX).toWellFormed();
}

const LABEL_LENGTH_MAX = 100;

function parseBody(body: Uint8Array): unknown {
  try {
    return parseForeignJson(body);
  } catch (error) {
    throw new NtfyError(40024, error instanceof Error ? error.message : null);
  }
}
