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

test("a sign-in through the identity provider opens the page that needed it, never another site", () => {
  const getNext = (path: string) => getNextPath(new URL(path, "https://push.example.org"), null);
  assert.equal(getNext("/sign-in"), "/");
  assert.equal(getNext("/sign-in?next=%2Fkeys"), "/keys");
  for (const path of [
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "https://evil.example",
    "keys",
  ]) {
    assert.equal(getNext(`/sign-in?next=${encodeURIComponent(path)}`), "/");
  }
});

test("an invitation returns to its link, and a set-up to the start page", () => {
  const getNext = (path: string, token: string) =>
    getNextPath(new URL(path, "https://push.example.org"), token);
  assert.equal(getNext("/invitation", "a b&c"), "/invitation#token=a+b%26c");
  assert.equal(getNext("/set-up", "secret"), "/");
});
