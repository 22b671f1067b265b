import assert from "node:assert/strict";
import { test } from "node:test";
import { routeOf } from "./route.ts";

function route(path: string) {
  return routeOf(new URL(path, "https://push.example.org"));
}

test("the path of a notification opens it, with or without a slash at the end", () => {
  assert.deepEqual(route("/n/0190-ab"), { kind: "home", openId: "0190-ab" });
  assert.deepEqual(route("/n/a%2Fb/"), { kind: "home", openId: "a/b" });
});

test("a link's token is part of its route, and empty where it is missing", () => {
  assert.deepEqual(route("/set-up?token=abc"), { kind: "set-up", token: "abc" });
  assert.deepEqual(route("/reset-password?token=abc"), { kind: "reset", token: "abc" });
  assert.deepEqual(route("/invitation"), { kind: "invitation", token: "" });
});

test("what no page has, and what cannot be decoded, is home", () => {
  assert.deepEqual(route("/"), { kind: "home", openId: null });
  assert.deepEqual(route("/elsewhere"), { kind: "home", openId: null });
  assert.deepEqual(route("/n/%E0%A4%A"), { kind: "home", openId: null });
});
