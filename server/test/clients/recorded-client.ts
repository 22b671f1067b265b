import type { TestResponse, TestRequest } from "../contract/http-requests.ts";

/** A message that a client is to send. */
export interface OutgoingMessage {
  readonly key: string;
  readonly title: string;
  readonly body: string;
}

/** The outcome that a client reports to its user. `refused`: it sent no request. */
export type ReportedOutcome = "sent" | "failed" | "refused";

/** The cases in which every recorded client is tested. */
export const CLIENT_CASES = ["success", "noDevice", "wrongKey", "emptyTitle", "longText"] as const;
/** A case in which a client sends a message. */
export type ClientCase = (typeof CLIENT_CASES)[number];

/** A public client: the requests that it sends, and how it reads the responses. */
export interface RecordedClient {
  readonly name: string;
  /** Returns the request as sent over the wire; null if the client refuses to send the message. */
  readonly createRequest: (message: OutgoingMessage) => TestRequest | null;
  /** Returns the outcome that the client reports for a response. Throws if the client itself would crash. */
  readonly readResponse: (response: TestResponse) => ReportedOutcome;
  /** Milliseconds after which the client gives up. */
  readonly timeoutMs: number;
  /** Reported outcomes that differ from the usual ones. */
  readonly unusualOutcomes?: Partial<Record<ClientCase, ReportedOutcome>>;
}

/** The usual outcomes: most clients read only the status, so only a rejected request is a failure. */
export const USUAL_OUTCOMES: Readonly<Record<ClientCase, ReportedOutcome>> = {
  success: "sent",
  noDevice: "sent",
  wrongKey: "failed",
  emptyTitle: "sent",
  longText: "sent",
};

/** Returns `sent` for any 2xx, as axios and the Go programs do. */
export function interpretStatus({ status }: TestResponse): ReportedOutcome {
  return status >= 200 && status < 300 ? "sent" : "failed";
}

/** Returns a POST with a JSON body and the client's headers, and with the key in `x-api-key` unless it is null. */
export function createJsonPost(
  { key, path = "/api/v1/notify", headers }: JsonPostOptions,
  fields: Readonly<Record<string, unknown>>,
): TestRequest {
  return {
    method: "POST",
    path,
    headers: { ...headers, ...(key === null ? {} : { "x-api-key": key }) },
    body: JSON.stringify(fields),
  };
}

/** The parts of a POST that differ between clients. */
export interface JsonPostOptions {
  /** Null if the key is only in the path. */
  readonly key: string | null;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
}
