import assert from "node:assert/strict";
import { test } from "node:test";
import { isOwnPath, nextAfter, nextOf } from "./next.ts";

test("a sign-in leads back to the page with what its address asked for, and never with its hash", () => {
  const page = { pathname: "/log", searchStr: "?state=failed&q=a%2Fb", hash: "token=secret" };
  assert.deepEqual(nextOf(page), { next: "/log?state=failed&q=a%2Fb" });
  assert.deepEqual(nextOf({ pathname: "/", searchStr: "?unread=true" }), { next: "/?unread=true" });
  assert.deepEqual(nextOf({ pathname: "/", searchStr: "" }), {});
  assert.deepEqual(nextOf({ pathname: "//example.org", searchStr: "?q=1" }), {});
});

test("through an identity provider it leads to the same place", () => {
  const { next = "" } = nextOf({ pathname: "/log", searchStr: "?q=backup" });
  const search = `?${new URLSearchParams({ next }).toString()}`;
  assert.equal(nextAfter({ pathname: "/sign-in", search }, null), "/log?q=backup");
  assert.equal(nextAfter({ pathname: "/sign-in", search: "?next=//example.org" }, null), "/");
});

test("a path is ours where no other host can be meant", () => {
  for (const path of ["/", "/log?q=//example.org", "/teams/1"]) assert.ok(isOwnPath(path), path);
  for (const path of ["", "log", "//example.org", "/\\example.org", "/\t/example.org"]) {
    assert.ok(!isOwnPath(path), path);
  }
});
