import type { EncodedEvent } from "./app-event.ts";

/** The format of the events of a stream or poll. */
export interface StreamFormat {
  readonly transport: "json" | "sse" | "raw";
  readonly contentType: string;
  readonly format: (event: EncodedEvent) => string;
}

/** A line of JSON for each event. */
export const JSON_FORMAT: StreamFormat = {
  transport: "json",
  contentType: "application/x-ndjson; charset=utf-8",
  format: ({ json }) => `${json}\n`,
};

/** Server-Sent Events (HTML standard, section 9.2). Browsers call `onmessage` only for events without a name. */
export const SSE_FORMAT: StreamFormat = {
  transport: "sse",
  contentType: "text/event-stream; charset=utf-8",
  format: ({ event, json }) =>
    event === "message" ? `data: ${json}\n\n` : `event: ${event}\ndata: ${json}\n\n`,
};

/** The text of each message in one line. Other events are an empty line. */
export const RAW_FORMAT: StreamFormat = {
  transport: "raw",
  contentType: "text/plain; charset=utf-8",
  format: ({ event, text }) =>
    event === "message" ? `${text.replaceAll(LINE_BREAK, " ")}\n` : "\n",
};

/** Every character at which some program ends a line. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
