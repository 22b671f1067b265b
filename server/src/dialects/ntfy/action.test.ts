import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNtfyActions } from "./action.ts";
import { NtfyError } from "./ntfy-error.ts";

const OPEN = {
  id: "1",
  action: "view",
  label: "Open portal",
  clear: false,
  url: "https://home.nest.com/",
};

test("the short form has kind, label and URL without names", () => {
  assert.deepEqual(parseNtfyActions("view, Open portal, https://home.nest.com/"), [OPEN]);
  assert.deepEqual(
    parseNtfyActions("action=view, label=Open portal, url=https://home.nest.com/, clear=no"),
    [OPEN],
  );
});

test("a semicolon at the end begins no further action", () => {
  assert.deepEqual(parseNtfyActions("view, Open portal, https://home.nest.com/ ; "), [OPEN]);
});

test("the short form separates actions by semicolons, and names headers and extras", () => {
  const text =
    'view, Open portal, https://home.nest.com/; HTTP, "Turn \\"down\\", now", https://api.nest.com/, method=put, headers.Authorization=Bearer zAzsx1sk.., body=\'{"temp": 65}\', clear=TRUE ; broadcast, Take picture, extras.cmd=pic';
  assert.deepEqual(parseNtfyActions(text), [
    OPEN,
    {
      id: "2",
      action: "http",
      label: 'Turn "down", now',
      clear: true,
      url: "https://api.nest.com/",
      method: "PUT",
      body: '{"temp": 65}',
      headers: { Authorization: "Bearer zAzsx1sk.." },
    },
    { id: "3", action: "broadcast", label: "Take picture", clear: false, extras: { cmd: "pic" } },
  ]);
});

test("an action that copies has a value", () => {
  const copy = { id: "1", action: "copy", label: "Copy code", clear: false, value: "123 456" };
  assert.deepEqual(parseNtfyActions("copy, Copy code, 123 456"), [copy]);
  assert.deepEqual(parseNtfyActions([{ action: "copy", label: "Copy code", value: "123 456" }]), [
    copy,
  ]);
});

// `Message.to_x_headers` of aiontfy 0.8.6.
test("the actions of Home Assistant, which are in single quotes, are read", () => {
  const text =
    "action='view', label='Open portal', url='https://home.nest.com/', clear=0; action='http', label='Close', url='https://a.example/', method='POST', headers.X-A='b', clear=1";
  const close = {
    id: "2",
    action: "http",
    label: "Close",
    clear: true,
    url: "https://a.example/",
    method: "POST",
    headers: { "X-A": "b" },
  };
  assert.deepEqual(parseNtfyActions(text), [OPEN, close]);
});

test("actions are a JSON list, in a text or in JSON", () => {
  const list = [{ action: "View", label: "Open portal", url: "https://home.nest.com/" }];
  assert.deepEqual(parseNtfyActions(` ${JSON.stringify(list)}`), [OPEN]);
  assert.deepEqual(parseNtfyActions(list), [OPEN]);
});

test("the members of an action have any letter case, and the headers keep theirs", () => {
  const [action] = parseNtfyActions([
    { Action: "http", Label: "Open", URL: "https://a.example/", Headers: { "X-Token": "t" } },
  ]);
  assert.deepEqual(action, {
    id: "1",
    action: "http",
    label: "Open",
    clear: false,
    url: "https://a.example/",
    headers: { "X-Token": "t" },
  });
});

test("a name such as __proto__ is a name like any other", () => {
  const [action] = parseNtfyActions("broadcast, Take, extras.__proto__=x");
  assert.deepEqual(Object.entries(action?.extras ?? {}), [["__proto__", "x"]]);
});

/** Inputs with the reason for which each is refused. */
const REFUSED: readonly (readonly [input: unknown, reason: RegExp])[] = [
  ["view, Open", /'url' is required/],
  ["copy, Copy code", /'value' is required/],
  ["view,, https://a.example", /'label' is required/],
  ["fly, Open, url=https://a.example", /'action' must be/],
  ["broadcast, Take, https://a.example", /term 'https:\/\/a.example' unknown/],
  ["view, Open, https://a.example, wings=2", /key 'wings' unknown/],
  ["view, Open, https://a.example, clear=maybe", /'clear' must be/],
  ["http, Get, https://a.example, method=get, body=x", /'body' cannot be set/],
  ['view, "Open, https://a.example', /quote started at position 7/],
  ['view, "Open" it, https://a.example', /unexpected character/],
  ["[", /JSON error/],
  [5, /must be a list/],
  [[null], /must be an object/],
  [[{ action: "view", label: 5, url: "https://a.example" }], /'label' must be a text/],
  [[{ action: "http", label: "a", url: "https://a.example", headers: { a: 1 } }], /'a' must be/],
  [[{ action: "http", label: "a", url: "https://a.example", headers: [] }], /'headers' must be/],
  ["view, a, b; view, a, b; view, a, b; view, a, b", /only 3 actions/],
];

for (const [input, reason] of REFUSED) {
  test(`actions are refused with 40018: ${JSON.stringify(input)}`, () => {
    assert.throws(
      () => parseNtfyActions(input),
      (error) =>
        error instanceof NtfyError && error.ntfyCode === 40018 && reason.test(error.message),
    );
  });
}

test("actions beyond the third one are refused before they are read", () => {
  const unknown = { action: "unknown" };
  for (const input of [`${"view, a, b;".repeat(4)} unknown`, [unknown, {}, {}, {}]]) {
    assert.throws(() => parseNtfyActions(input), /only 3 actions allowed/);
  }
});

test("a long text is read in a short time", () => {
  for (const text of [`view, "${"\\".repeat(60_000)}`, "a=".repeat(30_000), ",".repeat(60_000)]) {
    assert.throws(() => parseNtfyActions(text), NtfyError);
  }
});
