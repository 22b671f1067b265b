import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTabTitle } from "./tab-title.ts";

test("a tab's title starts with the unread count, then names the page", () => {
  assert.equal(formatTabTitle({ pageName: "Devices", unreadCount: 0 }), "Devices · Tocsin");
  assert.equal(formatTabTitle({ pageName: "Devices", unreadCount: 3 }), "(3) Devices · Tocsin");
  assert.equal(formatTabTitle({ pageName: "Tocsin", unreadCount: 0 }), "Tocsin");
});
