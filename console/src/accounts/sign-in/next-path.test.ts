import assert from "node:assert/strict";
import { test } from "node:test";
import { isSameOriginPath, getNextPath, toNextSearch } from "./next-path.ts";

test("a sign-in returns to the page with its query but without its hash", () => {
  const page = { pathname: "/log", searchStr: "?state=failed&q=a%2Fb", hash: "token=secret" };
  assert.deepEqual(toNextSearch(page), { next: "/log?state=failed&q=a%2Fb" });
  assert.deepEqual(toNextSearch({ pathname: "/", searchStr: "?unread=true" }), {
    next: "/?unread=true",
  });
  assert.deepEqual(toNextSearch({ pathname: "/", searchStr: "" }), {});
  assert.deepEqual(toNextSearch({ pathname: "//example.org", searchStr: "?q=1" }), {});
});

test("a sign-in through an identity provider returns to the same page", () => {
  const { next = "" } = toNextSearch({ pathname: "/log", searchStr: "?q=backup" });
  const search = `?${new URLSearchParams({ next }).toString()}`;
  assert.equal(getNextPath({ pathname: "/sign-in", search }, null), "/log?q=backup");
  assert.equal(getNextPath({ pathname: "/sign-in", search: "?next=//example.org" }, null), "/");
});

test("only an absolute path that cannot name another host is accepted", () => {
  for (const path of ["/", "/log?q=//example.org", "/teams/1"])
    assert.ok(isSameOriginPath(path), path);
  for (const path of ["", "log", "//example.org", "/\\example.org", "/\t/example.org"]) {
    assert.ok(!isSameOriginPath(path), path);
  }
});
