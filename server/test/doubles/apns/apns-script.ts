import { constants } from "node:http2";
import type { ServerHttp2Stream } from "node:http2";
import type { ApnsConnection, Farewell } from "./apns-connection.ts";

/**
 * The service's behaviour for one request instead of its verdict. The request is judged and logged all the
 * same. `after` holds everything back until the test resolves it. `delivers` hands a good push to the device first: the
 * sender cannot know that it arrived.
 */
export type ApnsScripted = { readonly after?: Promise<unknown> } & (
  | { readonly kind: "verdict" }
  /** Apple's form where a reason is given, else the body as it stands: a proxy's page, rubbish. */
  | ({ readonly kind: "answer" } & ApnsAnswer)
  /** RST_STREAM with a code of RFC 9113 section 7: 7 says that nothing was processed. */
  | ({ readonly kind: "rst"; readonly code: number } & Cut)
  /** Cuts the whole connection with a TCP reset. */
  | ({ readonly kind: "reset" } & Cut)
  | { readonly kind: "hang"; readonly delivers?: boolean }
  /** Before: this request and later ones are not processed. After: this one is answered, later ones are not processed. */
  | ({ readonly kind: "goaway"; readonly when: "before-request" | "after-request" } & Farewell)
);

export interface ApnsAnswer {
  readonly status: number;
  readonly reason?: string;
  /** Goes with the reason of a 410. */
  readonly timestampMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Cut {
  /** After the headers, the sender has seen 200 but no end of the answer. Before them, the default, nothing. */
  readonly when?: "before-headers" | "after-headers";
  readonly delivers?: boolean;
}

/** One request that waits for what becomes of it. */
export interface ApnsExchange {
  readonly connection: ApnsConnection;
  readonly stream: ServerHttp2Stream;
  readonly apnsId: string;
  /** Passes a good push on to the device; a refused one goes nowhere. */
  readonly deliver: () => void;
  /** Answers by the verdict, after passing a good push on. */
  readonly settle: () => void;
}

/** Does with one request what the script says. */
export function play(scripted: ApnsScripted, exchange: ApnsExchange): void {
  const { connection, stream } = exchange;
  switch (scripted.kind) {
    case "verdict":
      exchange.settle();
      break;
    case "answer":
      answer(exchange, scripted);
      break;
    case "rst":
      cut(exchange, scripted, () => stream.close(scripted.code));
      break;
    case "reset":
      cut(exchange, scripted, () => connection.reset());
      break;
    case "hang":
      if (scripted.delivers === true) exchange.deliver();
      break;
    case "goaway":
      if (scripted.when === "before-request") {
        connection.goawayBefore(stream, scripted);
        break;
      }
      exchange.settle();
      connection.goawayAfter(stream, scripted);
      break;
  }
}

/** Answers one request in Apple's form. */
export function answer({ connection, stream, apnsId }: ApnsExchange, given: ApnsAnswer): void {
  const { status, reason, timestampMs, headers, body } = given;
  connection.settled(stream);
  stream.respond({ ":status": status, "apns-id": apnsId, ...headers });
  stream.end(reason === undefined ? body : JSON.stringify({ reason, timestamp: timestampMs }));
}

function cut(exchange: ApnsExchange, { when, delivers }: Cut, sever: () => void): void {
  const { connection, stream, apnsId } = exchange;
  if (delivers === true) exchange.deliver();
  if (when !== "after-headers") {
    sever();
    return;
  }
  stream.respond({ ":status": constants.HTTP_STATUS_OK, "apns-id": apnsId });
  // Node ends an answer in good order before it resets the stream: the sender would see nothing amiss.
  Object.assign(stream, { end: () => stream });
  connection.onceSeen(sever);
}
