import assert from "node:assert/strict";
import { test } from "node:test";
import { createPage, parsePageRequest, parsePathNumber } from "./page.ts";

test("a page has 100 messages from the newest on, or as many as are asked for", () => {
  assert.deepEqual(parsePageRequest({}), { limit: 100, before: null });
  assert.deepEqual(parsePageRequest({ limit: "1", since: "0" }), { limit: 1, before: null });
  assert.deepEqual(parsePageRequest({ limit: "200", since: "7" }), { limit: 200, before: 7 });
  for (const query of [
    { limit: "0" },
    { limit: "201" },
    { limit: "-1" },
    { limit: "ten" },
    { limit: ["1", "2"] },
    { since: "-1" },
    { since: "1e3" },
  ]) {
    assert.throws(() => parsePageRequest(query), { code: "invalid_field" });
  }
});

test("a full page names the next one, and the last page none", () => {
  const url = "https://push.example.org/message";
  const messages = [{ id: 9 }, { id: 7 }];
  assert.deepEqual(createPage(messages, { limit: 2, url }), {
    paging: { size: 2, limit: 2, since: 7, next: `${url}?limit=2&since=7` },
    messages,
  });
  assert.deepEqual(createPage(messages, { limit: 3, url }).paging, { size: 2, limit: 3, since: 0 });
  assert.deepEqual(createPage([], { limit: 1, url }).paging, { size: 0, limit: 1, since: 0 });
});

test("only whole numbers are numbers of a path", () => {
  assert.equal(parsePathNumber("281474976710655"), 281_474_976_710_655);
  for (const text of ["", "-1", "1.5", "x", "1e3", "9".repeat(16)]) {
    assert.equal(parsePathNumber(text), null, text);
  }
});
