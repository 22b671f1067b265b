import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTabTitle } from "./tab-title.ts";

test("a tab's title starts with the unread count, then names the page", () => {
  assert.equal(formatTabTitle({ title: "Devices", unread: 0 }), "Devices · Tocsin");
  assert.equal(formatTabTitle({ title: "Devices", unread: 3 }), "(3) Devices · Tocsin");
  assert.equal(formatTabTitle({ title: "Tocsin", unread: 0 }), "Tocsin");
});
