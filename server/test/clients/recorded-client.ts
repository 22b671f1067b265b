import type { Answer, Question } from "../contract/ask.ts";

/** A message that a client is to send. */
export interface OutgoingMessage {
  readonly key: string;
  readonly title: string;
  readonly body: string;
}

/** The outcome that a client reports to its user. `refused`: it sent no request. */
export type Verdict = "sent" | "failed" | "refused";

export const CASES = ["success", "noDevice", "wrongKey", "emptyTitle", "longText"] as const;
export type Case = (typeof CASES)[number];

/** A public client: the requests that it sends, and how it reads the responses. */
export interface RecordedClient {
  readonly name: string;
  /** The request as sent over the wire; null if the client refuses to send the message. */
  readonly createRequest: (sending: OutgoingMessage) => Question | null;
  /** The outcome that the client reports for a response. Throws if the client itself would crash. */
  readonly readResponse: (answer: Answer) => Verdict;
  /** Milliseconds after which the client gives up. */
  readonly timeoutMs: number;
  /** Reported outcomes that differ from the usual ones. */
  readonly verdicts?: Partial<Record<Case, Verdict>>;
}

/** The usual outcomes: most clients read only the status, so only a rejected request is a failure. */
export const USUAL_VERDICTS: Readonly<Record<Case, Verdict>> = {
  success: "sent",
  noDevice: "sent",
  wrongKey: "failed",
  emptyTitle: "sent",
  longText: "sent",
};

/** Returns `sent` for any 2xx: axios, Go's programs, `curl --fail`. */
export function readStatus({ status }: Answer): Verdict {
  return status >= 200 && status < 300 ? "sent" : "failed";
}

/** Returns a POST with a JSON body and the client's headers, with the key among them. */
export function postJson(
  { key, path = "/api/v1/notify", headers }: JsonPostOptions,
  fields: Readonly<Record<string, unknown>>,
): Question {
  return {
    method: "POST",
    path,
    headers: { ...headers, ...(key === null ? {} : { "x-api-key": key }) },
    body: JSON.stringify(fields),
  };
}

export interface JsonPostOptions {
  /** Null if the key is only in the path. */
  readonly key: string | null;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
}
