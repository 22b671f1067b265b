import assert from "node:assert/strict";
import test from "node:test";
import {
  CONTENT_FIELDS,
  DEFAULT_PRIORITY,
  EMPTY_CONTENT,
  PRIORITIES,
  SOUNDS,
  type ContentField,
} from "@tocsin/sdk";
import { pickContent } from "#content/response.ts";
import { startApp, signUp, type TestPerson } from "../support/app.ts";
import { requestJson, parseError, HELLO, post, type TestResponse } from "./http-requests.ts";

const EMOJI = "\u{1f514}";
const createUrl = (length: number) => "https://example.org/".padEnd(length, "x");
/** Longer queries may not fit into the request line. */
const QUERY_MAX_LENGTH = 20_000;

const FIELDS: readonly (readonly [name: string, field: ContentField])[] =
  Object.entries(CONTENT_FIELDS);
const URL_FIELDS = FIELDS.filter(([, { kind }]) => kind === "url").map(([name]) => name);
const WEB_URL_FIELDS = FIELDS.filter(
  ([, field]) => field.kind === "url" && field.schemes === "web",
).map(([name]) => name);
const IMAGE_URL = "http://example.org/a.png";

/** Priorities of other services, and other values that the server ignores. */
const UNKNOWN_PRIORITIES = [3, -2, true, "3", "urgent", " high", "high,low", [], ["high"], {}];

/** Accepted fields, with their stored values. */
const VALID_FIELDS: readonly (readonly [
  fields: Record<string, unknown>,
  stored: Record<string, unknown>,
])[] = [
  [{ title: "x".repeat(1_024) }, { title: "x".repeat(1_024) }],
  [{ title: EMOJI.repeat(1_024) }, { title: EMOJI.repeat(1_024) }],
  [{ title: "" }, { title: "", body: "World" }],
  [{ body: "" }, { title: "Hello", body: "" }],
  [{ body: "x".repeat(32_768) }, { body: "x".repeat(32_768) }],
  [
    { title: "Paid \u202e\u202d001", body: "\u202e" },
    { title: "Paid 001", body: "\u202e" },
  ],
  [{ title: "a\u0000b\u001fc\rd\ne\tf" }, { title: "abcd\ne\tf" }],
  [{ title: "\ud83d!" }, { title: "\ufffd!" }],
  ...SOUNDS.map((sound) => [{ sound }, { sound }] as const),
  [{}, { ...EMPTY_CONTENT, ...HELLO }],
  ...["", null].map((none) => {
    const entries = Object.keys(CONTENT_FIELDS).map((name) => [name, none]);
    return [
      { ...Object.fromEntries(entries), ...HELLO },
      { ...EMPTY_CONTENT, ...HELLO },
    ] as const;
  }),
  [{ channel: "a" }, { channel: "a" }],
  [{ channel: `Az-09${"-".repeat(59)}` }, { channel: `Az-09${"-".repeat(59)}` }],
  ...URL_FIELDS.map(
    (name) => [{ [name]: createUrl(2_048) }, { [name]: createUrl(2_048) }] as const,
  ),
  [{ link: "tel:+4930123456" }, { link: "tel:+4930123456" }],
  [{ link: "my-app://open/7?x=1#y" }, { link: "my-app://open/7?x=1#y" }],
  [{ link: "mailto:ann@example.org" }, { link: "mailto:ann@example.org" }],
  ...WEB_URL_FIELDS.map((name) => [{ [name]: IMAGE_URL }, { [name]: IMAGE_URL }] as const),
  [{ timeSensitive: true }, { timeSensitive: true }],
  [{ timeSensitive: false }, { timeSensitive: false }],
  [
    { body: "**a**", markdown: true },
    { body: "**a**", markdown: true },
  ],
  [
    { body: "**a**", markdown: null },
    { body: "**a**", markdown: false },
  ],
  ...PRIORITIES.flatMap((priority) =>
    [priority, priority.toUpperCase()].map((text) => [{ priority: text }, { priority }] as const),
  ),
  ...UNKNOWN_PRIORITIES.map((priority) => [{ priority }, { priority: DEFAULT_PRIORITY }] as const),
  [{ tags: ["a"], extra: { deep: [null] }, __proto__: null }, {}],
];

/** Refused fields, with the field that the error names. */
const INVALID_FIELDS: readonly (readonly [fields: Record<string, unknown>, name: string])[] = [
  [{ title: "x".repeat(1_025) }, "title"],
  [{ title: EMOJI.repeat(1_025) }, "title"],
  [{ title: undefined }, "title"],
  [{ title: null }, "title"],
  [{ title: 7 }, "title"],
  [{ title: ["Hello"] }, "title"],
  [{ title: "", body: "" }, "title"],
  [{ title: "\u0000", body: "\u0001" }, "title"],
  [{ body: "x".repeat(32_769) }, "body"],
  [{ body: undefined }, "body"],
  [{ body: null }, "body"],
  [{ body: { text: "World" } }, "body"],
  ...["Default", "default ", "beep", 1, true].map((sound) => [{ sound }, "sound"] as const),
  ...["a_b", "a b", "ä", "x".repeat(65), 7, ["feed"]].map(
    (channel) => [{ channel }, "channel"] as const,
  ),
  ...URL_FIELDS.flatMap((name) =>
    [
      createUrl(2_049),
      "/path",
      "example.org",
      "//example.org",
      "https://",
      "https://ann@example.org/",
      "https://ann:secret@example.org/",
      "javascript:alert(1)",
      " JavaScript:alert(1)",
      "java\nscript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "blob:https://example.org/7",
      "file:///etc/passwd",
      "filesystem:https://example.org/x",
      "intent://example.org/#Intent;scheme=https;end",
      "about:blank",
      7,
    ].map((value) => [{ [name]: value }, name] as const),
  ),
  ...WEB_URL_FIELDS.flatMap((name) =>
    ["ftp://example.org/a.png", "my-app://a.png"].map(
      (value) => [{ [name]: value }, name] as const,
    ),
  ),
  ...["true", "yes", 1, 0, []].map(
    (timeSensitive) => [{ timeSensitive }, "timeSensitive"] as const,
  ),
  ...["true", 1, {}].map((markdown) => [{ markdown }, "markdown"] as const),
];

async function readStored({ client }: TestPerson, { headers }: TestResponse) {
  const record = await client.notifications.get(String(headers["x-notification-id"]));
  return pickContent(record);
}

test("each field of a JSON body is accepted up to its limit", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  for (const [fields, expected] of VALID_FIELDS) {
    const name = JSON.stringify(fields).slice(0, 80);
    const response = await post(app.url, { key: ann.key, body: { ...HELLO, ...fields } });
    assert.equal(response.status, 200, name);
    const record = await readStored(ann, response);
    assert.deepEqual({ ...record, ...expected }, record, name);
  }
});

test("a field past its limit or of another type is 400 with its name", async (t) => {
  const app = await startApp(t);
  const { key, client } = await signUp(app, "Ann");
  for (const [fields, field] of INVALID_FIELDS) {
    const name = JSON.stringify(fields).slice(0, 80);
    const response = await post(app.url, { key, body: { ...HELLO, ...fields } });
    const { code, field: reported } = parseError(response);
    assert.deepEqual([response.status, code, reported], [400, "invalid_field", field], name);
  }
  assert.deepEqual((await client.notifications.list()).items, []);
});

/** Returns a JSON value as a query parameter; null if a query cannot express it. */
function toQueryValue(value: unknown): string | null {
  if (value === undefined || typeof value === "string") return value ?? null;
  return typeof value === "boolean" || typeof value === "number" ? String(value) : null;
}

function buildQuery(fields: Record<string, unknown>): string | null {
  const entries = Object.entries({ ...HELLO, ...fields }).filter(
    ([, value]) => value !== undefined,
  );
  if (entries.some(([, value]) => toQueryValue(value) === null)) return null;
  const query = entries.map(([name, value]) => [name, toQueryValue(value) ?? ""]);
  // A query cannot express a lone surrogate, or a text longer than the request line.
  const text = new URLSearchParams(query).toString();
  return text.length > QUERY_MAX_LENGTH || text.includes("%EF%BF%BD") ? null : text;
}

test("the query has the same rules as the body", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const path = (query: string) => `/api/v1/notify/${ann.key}?${query}`;
  let count = 0;
  for (const [fields, expected] of VALID_FIELDS) {
    const query = buildQuery(fields);
    if (query === null) continue;
    const response = await requestJson(app.url, { path: path(query) });
    assert.equal(response.status, 200, query.slice(0, 80));
    const record = await readStored(ann, response);
    assert.deepEqual({ ...record, ...expected }, record, query.slice(0, 80));
    count += 1;
  }
  assert.ok(count > 25);
  for (const [fields, field] of INVALID_FIELDS) {
    const query = buildQuery(fields);
    // Numbers are strings in a query, and 1 and true are booleans.
    const isText = Object.values(fields).every((value) => typeof value === "string");
    if (query === null || !isText || /(?:timeSensitive|markdown)=true/.test(query)) continue;
    const response = await requestJson(app.url, { path: path(query) });
    const { code, field: reported } = parseError(response);
    assert.deepEqual([response.status, code, reported], [400, "invalid_field", field], query);
  }
});
