/** A client's demand, by its number in the list that the contract was made from, and the tests that hold the server to it. */
export interface Demand {
  readonly says: string;
  /** `file: title`, the file below `server/test`. */
  readonly tests: readonly string[];
}

/** Every demand; a client breaks where one is not met, or its users see nonsense. */
export const DEMANDS: Readonly<Record<number, Demand>> = {
  1: {
    says: "keys are UUIDs of version 4",
    tests: [
      "contract/keys.test.ts: account keys and team keys are lower-case UUIDs of version 4, and shown once",
    ],
  },
  2: {
    says: "a send is answered within 4 s, however slow devices are",
    tests: [
      "contract/answers.test.ts: a synchronous send responds within the wait, even for a slow device",
      "clients/apprise.test.ts: Apprise is told in time, however slow a device is",
    ],
  },
  3: {
    says: "every 200 of a synchronous send has an array `responses` of a boolean and a text each",
    tests: [
      "contract/answers.test.ts: every synchronous form returns results, the asynchronous one an acknowledgement",
      "contract/answers.test.ts: a send without devices stores the notification in the feed",
    ],
  },
  4: {
    says: "every answer is JSON, errors too",
    tests: [
      "contract/http.test.ts: invalid HTTP is 400 in JSON with its length, and closes the connection",
      "contract/http.test.ts: an unknown path is 404 for every method and body",
      "contract/http.test.ts: an unsupported method is 405 with the allowed ones",
      "contract/body.test.ts: 256 KiB are accepted and one byte more is 400 body_too_large, with or without length",
      "contract/unavailable.test.ts: an internal error is 500 with a generic message, and is logged once",
    ],
  },
  5: {
    says: "an answer is written at once, with its length",
    tests: [
      "contract/http.test.ts: a response is written in one piece",
      "clients/wire.test.ts: an answer about 100 devices is one piece too, for those who parse each piece by itself",
    ],
  },
  6: {
    says: "the status of an accepted send is exactly 200",
    tests: [
      "clients/wire.test.ts: the status is 200 and no other for every form of an accepted send",
    ],
  },
  7: {
    says: "a wrong key and wrong input are no 2xx",
    tests: ["contract/errors.test.ts: the notification API has one shape of errors"],
  },
  8: {
    says: "every error has a text `message`, and `error` as an object or, in the management API, a text",
    tests: [
      "contract/errors.test.ts: the notification API has one shape of errors",
      "contract/errors.test.ts: the management API has one shape of errors",
    ],
  },
  9: {
    says: "a refused key is told in the words that clients look for",
    tests: [
      "contract/keys.test.ts: placeholder, unknown, revoked and expired keys get the same bytes",
    ],
  },
  10: {
    says: "an empty title is taken where there is a body",
    tests: ["contract/fields.test.ts: each field of a JSON body is accepted up to its limit"],
  },
  11: {
    says: "an empty body is taken where there is a title",
    tests: ["contract/fields.test.ts: each field of a JSON body is accepted up to its limit"],
  },
  12: {
    says: "an empty or null optional field is one that is not given",
    tests: [
      "contract/fields.test.ts: each field of a JSON body is accepted up to its limit",
      "contract/fields.test.ts: the query has the same rules as the body",
    ],
  },
  13: {
    says: "fields and parameters that nobody knows are ignored",
    tests: [
      "contract/fields.test.ts: each field of a JSON body is accepted up to its limit",
      "clients/wire.test.ts: a parameter of a query that nobody knows is ignored",
    ],
  },
  14: {
    says: "a content type may have parameters and any letter case",
    tests: [
      "contract/body.test.ts: application/json is accepted in any letter case and with any parameters",
    ],
  },
  15: {
    says: "a key may be in path and header at once",
    tests: ["contract/keys.test.ts: a key in the path takes precedence over one in the header"],
  },
  16: {
    says: "the sound `default` and either value of `timeSensitive` may be said",
    tests: ["contract/fields.test.ts: each field of a JSON body is accepted up to its limit"],
  },
  17: {
    says: "a group id is one percent-encoded segment, and ours need no encoding",
    tests: [
      "contract/webhook.test.ts: a group id is one percent-decoded segment, and is decoded once",
    ],
  },
  18: {
    says: "texts of 20,000 characters are taken",
    tests: [
      "contract/answers.test.ts: a text longer than a push is shortened and delivered",
      "clients/recorded-clients.test.ts: the requests of monitors and scripts are taken, and they understand the answer",
    ],
  },
  19: {
    says: "a body cut short and garbage behind it stop nothing",
    tests: [
      "contract/body.test.ts: a truncated body is 400 in JSON, and sends nothing",
      "contract/body.test.ts: garbage after a valid request does not affect its response",
      "clients/wire.test.ts: a body whose length counts characters is cut short and refused, and the rest of it harms nobody",
    ],
  },
  20: {
    says: "a POST without a body takes its fields from the query",
    tests: ["contract/webhook.test.ts: a POST without a body reads its fields from the query"],
  },
  21: {
    says: "a query is decoded as a form, and its booleans in any common writing",
    tests: [
      "contract/webhook.test.ts: a query is decoded as a form: plus is a space, percent is UTF-8",
      "contract/webhook.test.ts: timeSensitive is true, false, 1 or 0 in any letter case in a query",
    ],
  },
  22: {
    says: "an urlencoded body stays 400",
    tests: [
      "contract/body.test.ts: a body with another content type or none is 400 unsupported_content_type",
    ],
  },
  23: {
    says: "a trailing slash is taken without a redirect",
    tests: ["contract/webhook.test.ts: a trailing slash is accepted without a redirect"],
  },
  24: {
    says: "any letter case of headers, any Host, HTTP/1.0, chunks, Expect, no User-Agent",
    tests: [
      "contract/http.test.ts: unusual but valid HTTP requests are served",
      "contract/http.test.ts: Expect: 100-continue gets 100 and then the response",
      "clients/wire.test.ts: chunks, with a trailer behind them and without a User-Agent, are a body like any other",
      "clients/wire.test.ts: an HTTP/1.0 client that keeps its connection may use it again",
    ],
  },
  25: {
    says: "an offer of HTTP/2 by Upgrade is answered in HTTP/1.1",
    tests: [
      "contract/http.test.ts: unusual but valid HTTP requests are served",
      "clients/wire.test.ts: Java's offer of HTTP/2 with a body is answered in HTTP/1.1, and the connection goes on",
    ],
  },
  26: {
    says: "a DELETE of the management API has a body",
    tests: [
      "contract/management.test.ts: responses equal the specification byte for byte, and DELETE reads a body",
    ],
  },
  27: {
    says: "five requests of one key within a second are nothing special",
    tests: [
      "contract/keys.test.ts: five requests with one key within a second are all accepted",
      "clients/apprise.test.ts: a text that Apprise splits arrives in all its parts",
    ],
  },
  28: {
    says: "no page of another site may read an answer",
    tests: ["contract/http.test.ts: no CORS header lets another site read a response"],
  },
};
