import assert from "node:assert/strict";
import { test } from "node:test";
import { createParameterReader, type NtfyParameter } from "./parameters.ts";

/** The names in ntfy's documentation, of headers and of the query alike. */
const DOCUMENTED_NAMES: Readonly<Record<string, readonly string[]>> = {
  message: ["X-Message", "Message", "m"],
  title: ["X-Title", "Title", "t"],
  priority: ["X-Priority", "Priority", "prio", "p"],
  tags: ["X-Tags", "Tags", "Tag", "ta"],
  click: ["X-Click", "Click"],
  icon: ["X-Icon", "Icon"],
  attach: ["X-Attach", "Attach", "a"],
  filename: ["X-Filename", "Filename", "file", "f"],
  actions: ["X-Actions", "Actions", "Action"],
  markdown: ["X-Markdown", "Markdown", "md"],
  delay: ["X-Delay", "Delay", "X-At", "At", "X-In", "In"],
  email: ["X-Email", "X-E-Mail", "Email", "E-Mail", "mail", "e"],
  call: ["X-Call", "Call"],
  template: ["X-Template", "Template", "tpl"],
};

for (const [parameter, names] of Object.entries(DOCUMENTED_NAMES)) {
  test(`${parameter} is read under each of its names, from headers and from the query`, () => {
    for (const name of names) {
      // Node writes the names of headers in lower case; those of a query stay unchanged.
      const fromHeader = createParameterReader({
        headers: { [name.toLowerCase()]: " x " },
        query: {},
      });
      const fromQuery = createParameterReader({ headers: {}, query: { [name]: " x " } });
      assert.equal(fromHeader(parameter as NtfyParameter), "x", `header ${name}`);
      assert.equal(fromQuery(parameter as NtfyParameter), "x", `query ${name}`);
    }
  });
}

test("a header takes precedence over the query, and a blank one counts as absent", () => {
  const query = { x_title: "no name of it", "X-TITLE": "from the query" };
  const read = (title: string) => createParameterReader({ headers: { t: title }, query })("title");
  assert.equal(read("from a header"), "from a header");
  assert.equal(read("  "), "from the query");
});

test("the first of several values that is not blank counts", () => {
  const read = createParameterReader({ headers: {}, query: { t: ["", "b", "c"], T: "d" } });
  assert.equal(read("title"), "b");
  assert.equal(read("message"), "");
});

test("the header Priority of RFC 9218 is not a priority", () => {
  for (const value of ["u=1", "u=1, i", "u=5,i", "u=3, 7", "i", "i, u=1", "u=3, i=?0"]) {
    const headers = { priority: value };
    assert.equal(createParameterReader({ headers, query: {} })("priority"), "");
    assert.equal(createParameterReader({ headers, query: { p: "4" } })("priority"), "4");
    const other = createParameterReader({ headers: { prio: value }, query: {} });
    assert.equal(other("priority"), value);
  }
});

test("a header is decoded", () => {
  const read = createParameterReader({ headers: { title: "=?UTF-8?B?w4RwZmVs?=" }, query: {} });
  assert.equal(read("title"), "Äpfel");
});
