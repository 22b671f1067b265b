import type { Answer, Question } from "../contract/ask.ts";

/** A message to send, before a client makes a request of it. */
export interface Sending {
  readonly key: string;
  readonly title: string;
  readonly body: string;
}

/** The outcome that a client reports to its user. `refused`: it sent no request. */
export type Verdict = "sent" | "failed" | "refused";

export const CASES = ["success", "noDevice", "wrongKey", "emptyTitle", "longText"] as const;
export type Case = (typeof CASES)[number];

/** A public client: how it asks, and how it judges the answer. */
export interface RecordedClient {
  readonly name: string;
  /** The request as it goes over the wire; null where the client refuses to send such a thing. */
  readonly ask: (sending: Sending) => Question | null;
  /** Throws where the client itself would crash. */
  readonly judge: (answer: Answer) => Verdict;
  /** The client gives up after so many milliseconds. */
  readonly timeoutMs: number;
  /** The outcome that its users see, where it differs from the usual one. */
  readonly verdicts?: Partial<Record<Case, Verdict>>;
}

/** The usual outcome: most clients read the status alone, so only a refusal is a failure. */
export const USUAL: Readonly<Record<Case, Verdict>> = {
  success: "sent",
  noDevice: "sent",
  wrongKey: "failed",
  emptyTitle: "sent",
  longText: "sent",
};

/** Returns `sent` for any 2xx: axios, Go's programs, `curl --fail`. */
export function judgeByStatus({ status }: Answer): Verdict {
  return status >= 200 && status < 300 ? "sent" : "failed";
}

/** Returns a POST of JSON text with the key in the header, beside headers of the client's own. */
export function postJson(
  { key, path = "/api/v1/notify", headers }: JsonPosting,
  fields: Readonly<Record<string, unknown>>,
): Question {
  return {
    method: "POST",
    path,
    headers: { ...headers, ...(key === null ? {} : { "x-api-key": key }) },
    body: JSON.stringify(fields),
  };
}

export interface JsonPosting {
  /** Null where the key is in the path alone. */
  readonly key: string | null;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
}
