/** A requirement of existing clients, and the tests that verify it. */
export interface ClientRequirement {
  readonly requirement: string;
  /** `file: title`, the file below `server/test`. */
  readonly tests: readonly string[];
}

/** All requirements, by their number in the source list. If one is not met, a client fails or shows wrong results. */
export const CLIENT_REQUIREMENTS: Readonly<Record<number, ClientRequirement>> = {
  1: {
    requirement: "keys are UUIDs of version 4",
    tests: [
      "contract/keys.test.ts: account keys and team keys are lower-case UUIDs of version 4, and shown once",
    ],
  },
  2: {
    requirement: "a send is answered within 4 s, even if devices are slow",
    tests: [
      "contract/send-responses.test.ts: a synchronous send responds within the wait, even for a slow device",
      "clients/apprise.test.ts: Apprise gets a response in time even if a device is slow",
    ],
  },
  3: {
    requirement:
      "every 200 of a synchronous send has an array `responses`, whose items have a boolean and a string",
    tests: [
      "contract/send-responses.test.ts: every synchronous form returns results, and the asynchronous form an acknowledgement",
      "contract/send-responses.test.ts: a send without devices stores the notification in the feed",
    ],
  },
  4: {
    requirement: "every response is JSON, including errors",
    tests: [
      "contract/http.test.ts: invalid HTTP gets a 400 in JSON with a Content-Length, and the connection is closed",
      "contract/http.test.ts: an unknown path is 404 for every method and body",
      "contract/http.test.ts: an unsupported method is 405 with the allowed methods",
      "contract/body.test.ts: a body of 256 KiB is accepted and one byte more is 400 body_too_large, with or without Content-Length",
      "contract/unavailable.test.ts: an internal error is 500 with a generic message, and is logged once",
    ],
  },
  5: {
    requirement: "a response is written in one piece, with its length",
    tests: [
      "contract/http.test.ts: a response is written in one piece",
      "clients/wire.test.ts: a response about 100 devices arrives in one piece",
    ],
  },
  6: {
    requirement: "the status of an accepted send is exactly 200",
    tests: ["clients/wire.test.ts: the status is exactly 200 for every form of an accepted send"],
  },
  7: {
    requirement: "a wrong key or invalid input is never 2xx",
    tests: ["contract/errors.test.ts: the notification API has one shape of errors"],
  },
  8: {
    requirement:
      "every error has a string `message`, and `error` as an object or, in the management API, a string",
    tests: [
      "contract/errors.test.ts: the notification API has one shape of errors",
      "contract/errors.test.ts: the management API has one shape of errors",
    ],
  },
  9: {
    requirement: "the error for a rejected key contains the words that clients look for",
    tests: [
      "contract/keys.test.ts: placeholder, unknown, revoked and expired keys get the same bytes",
    ],
  },
  10: {
    requirement: "an empty title is accepted if there is a body",
    tests: ["contract/fields.test.ts: each field of a JSON body is accepted up to its limit"],
  },
  11: {
    requirement: "an empty body is accepted if there is a title",
    tests: ["contract/fields.test.ts: each field of a JSON body is accepted up to its limit"],
  },
  12: {
    requirement: "an empty or null optional field counts as absent",
    tests: [
      "contract/fields.test.ts: each field of a JSON body is accepted up to its limit",
      "contract/fields.test.ts: the query has the same rules as the body",
    ],
  },
  13: {
    requirement: "unknown fields and parameters are ignored",
    tests: [
      "contract/fields.test.ts: each field of a JSON body is accepted up to its limit",
      "clients/wire.test.ts: unknown query parameters are ignored",
    ],
  },
  14: {
    requirement: "a content type may have parameters and any letter case",
    tests: [
      "contract/body.test.ts: application/json is accepted in any letter case and with any parameters",
    ],
  },
  15: {
    requirement: "a key may be in both the path and the header",
    tests: ["contract/keys.test.ts: a key in the path takes precedence over a key in the header"],
  },
  16: {
    requirement: "the sound `default` and either value of `timeSensitive` are accepted",
    tests: ["contract/fields.test.ts: each field of a JSON body is accepted up to its limit"],
  },
  17: {
    requirement: "a group id is one percent-encoded segment, and generated ids need no encoding",
    tests: [
      "contract/webhook.test.ts: a group id is one percent-decoded segment, and is decoded once",
    ],
  },
  18: {
    requirement: "texts of 20,000 characters are accepted",
    tests: [
      "contract/send-responses.test.ts: a text longer than a push is shortened and delivered",
      "clients/recorded-clients.test.ts: C1: monitors and scripts get the responses of earlier versions, and understand them",
    ],
  },
  19: {
    requirement: "a truncated body, or garbage after one, does not affect other requests",
    tests: [
      "contract/body.test.ts: a truncated body is 400 in JSON, and sends nothing",
      "contract/body.test.ts: garbage after a valid request does not affect its response",
      "clients/wire.test.ts: a body whose Content-Length counts characters is rejected, and its rest does not affect other requests",
    ],
  },
  20: {
    requirement: "a POST without a body takes its fields from the query",
    tests: ["contract/webhook.test.ts: a POST without a body reads its fields from the query"],
  },
  21: {
    requirement: "a query is decoded as a form and accepts common spellings of booleans",
    tests: [
      "contract/webhook.test.ts: a query is decoded as a form: plus is a space, percent is UTF-8",
      "contract/webhook.test.ts: timeSensitive is true, false, 1 or 0 in any letter case in a query",
    ],
  },
  22: {
    requirement: "a URL-encoded body stays 400",
    tests: [
      "contract/body.test.ts: a body with another content type or none is 400 unsupported_content_type",
    ],
  },
  23: {
    requirement: "a trailing slash is accepted without a redirect",
    tests: ["contract/webhook.test.ts: a trailing slash is accepted without a redirect"],
  },
  24: {
    requirement:
      "unusual but valid HTTP is accepted: any header case, any Host, HTTP/1.0, chunks, Expect, no User-Agent",
    tests: [
      "contract/http.test.ts: unusual but valid HTTP requests are served",
      "contract/http.test.ts: Expect: 100-continue gets 100 and then the response",
      "clients/wire.test.ts: a chunked body with a trailer and without a User-Agent is accepted",
      "clients/wire.test.ts: an HTTP/1.0 client can reuse a keep-alive connection",
    ],
  },
  25: {
    requirement: "an Upgrade to HTTP/2 is answered in HTTP/1.1",
    tests: [
      "contract/http.test.ts: unusual but valid HTTP requests are served",
      "clients/wire.test.ts: Java's HTTP/2 upgrade with a body is answered in HTTP/1.1, and the connection stays usable",
    ],
  },
  26: {
    requirement: "a DELETE of the management API may have a body",
    tests: [
      "contract/management.test.ts: responses equal the specification byte for byte, and DELETE reads a body",
    ],
  },
  27: {
    requirement: "five requests with one key within a second are all accepted",
    tests: [
      "contract/keys.test.ts: five requests with one key within a second are all accepted",
      "clients/apprise.test.ts: a message that Apprise splits arrives completely",
    ],
  },
  28: {
    requirement: "a page of another site cannot read a response",
    tests: ["contract/http.test.ts: no CORS header lets another site read a response"],
  },
};
