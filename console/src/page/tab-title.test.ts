import assert from "node:assert/strict";
import { test } from "node:test";
import { tabTitleOf } from "./tab-title.ts";

test("a tab names its page, and says first how much is unread", () => {
  assert.equal(tabTitleOf({ title: "Devices", unread: 0 }), "Devices · Tocsin");
  assert.equal(tabTitleOf({ title: "Devices", unread: 3 }), "(3) Devices · Tocsin");
  assert.equal(tabTitleOf({ title: "Tocsin", unread: 0 }), "Tocsin");
});
