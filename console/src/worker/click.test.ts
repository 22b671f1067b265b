import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWER_ID, DETAILS_ACTION } from "./buttons.ts";
import { findClickTarget, canOpenByClick } from "./click.ts";

const ORIGIN = "https://push.example.org";
const PAGE_TARGET = { kind: "page", path: "/n/0190", id: "0190" };
const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0";
const SAFARI = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
];

const CLICK = { action: "", reply: null, origin: ORIGIN, userAgent: CHROME };

function findTarget(link: string | null, { action = "", userAgent = CHROME } = {}) {
  const data = { id: "0190", navigate: `${ORIGIN}/n/0190`, link };
  return findClickTarget({ ...CLICK, data, action, userAgent });
}

test("a click opens the sender's web link", () => {
  for (const userAgent of [CHROME, FIREFOX]) {
    for (const href of ["https://example.org/disks?a=1#b", "http://nas.local/"]) {
      assert.deepEqual(findTarget(href, { userAgent }), {
        kind: "link",
        href,
        id: "0190",
        path: "/n/0190",
      });
    }
  }
});

test("a click opens the notification's page without a link, on the details button, or in Safari", () => {
  assert.deepEqual(findTarget(null), PAGE_TARGET);
  assert.deepEqual(
    findTarget("https://example.org/", { action: DETAILS_ACTION.action }),
    PAGE_TARGET,
  );
  for (const userAgent of SAFARI) {
    assert.deepEqual(findTarget("https://example.org/", { userAgent }), PAGE_TARGET);
  }
});

test("a click opens the notification's page if the link is not a web link that may be opened", () => {
  for (const link of [
    "mailto:a@example.org",
    "tel:+49123",
    "homeassistant://navigate",
    "javascript:alert(1)",
    "data:text/html,a",
    "java\nscript:alert(1)",
    "https://user:password@evil.example/",
    "//evil.example",
    "",
  ]) {
    assert.deepEqual(findTarget(link), PAGE_TARGET, link);
    assert.equal(canOpenByClick(link, CHROME), false, link);
  }
});

test("a notification from an older version opens its page, or the feed if its page is unknown", () => {
  for (const data of [null, "text", {}, { id: 7, link: 7 }]) {
    assert.deepEqual(findClickTarget({ ...CLICK, data }), { kind: "page", path: "/", id: "" });
  }
  const data = { navigate: `${ORIGIN}/n/0190` };
  assert.deepEqual(findClickTarget({ ...CLICK, data }), {
    ...PAGE_TARGET,
    id: "",
  });
});

test("a button of an incident acts, and any other click opens the page or the link", () => {
  const findIncidentTarget = (action: string, link: string | null = null) => {
    const data = {
      id: "0190",
      navigate: `${ORIGIN}/n/0190`,
      link,
      incident: "i",
      prompt: null,
    };
    return findClickTarget({ ...CLICK, data, action });
  };
  assert.deepEqual(findIncidentTarget("ack"), {
    kind: "act",
    action: "ack",
    incident: "i",
    prompt: null,
    answer: null,
    path: "/n/0190",
  });
  for (const action of ["", ANSWER_ID, DETAILS_ACTION.action]) {
    assert.deepEqual(findIncidentTarget(action), PAGE_TARGET);
  }
  assert.equal(findIncidentTarget("", "https://example.org/").kind, "link");
  assert.equal(findIncidentTarget("ack", "https://example.org/").kind, "act");
  assert.deepEqual(findIncidentTarget(ANSWER_ID, "https://example.org/"), PAGE_TARGET);
});

const PROMPT_DATA = {
  id: "0190",
  navigate: `${ORIGIN}/n/0190`,
  link: "https://example.org/",
  incident: null,
  prompt: "p",
  actions: [
    ["1", "yes"],
    ["2", "ack"],
  ],
};

test("a button of a prompt gives its label as the answer, and an entered text is the answer", () => {
  const findAnswer = (action: string, reply: string | null = null) => {
    const target = findClickTarget({ ...CLICK, data: PROMPT_DATA, action, reply });
    return target.kind === "act" ? [target.prompt, target.answer] : target.kind;
  };
  assert.deepEqual(findAnswer("1"), ["p", "yes"]);
  assert.deepEqual(findAnswer("2"), ["p", "ack"]);
  assert.deepEqual(findAnswer("3"), ["p", null]);
  // On Linux, Chromium reports a text without the id of its button.
  for (const action of [ANSWER_ID, ""]) {
    assert.deepEqual(findAnswer(action, " not yet\n"), ["p", "not yet"]);
    const targetKind = action === "" ? "link" : "page";
    for (const reply of [null, "", " \n"]) assert.equal(findAnswer(action, reply), targetKind);
  }
});

test("a text without a prompt is not an answer, and a button of a prompt from an older version has no answer", () => {
  const { actions: _actions, ...olderData } = PROMPT_DATA;
  const older = findClickTarget({ ...CLICK, data: olderData, action: "1" });
  assert.deepEqual([older.kind, older.kind === "act" && older.answer], ["act", null]);
  const data = { ...PROMPT_DATA, incident: "i", prompt: null };
  assert.equal(findClickTarget({ ...CLICK, data, reply: "yes" }).kind, "link");
});
