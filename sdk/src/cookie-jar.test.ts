import assert from "node:assert/strict";
import { test } from "node:test";
import { CookieJar } from "./cookie-jar.ts";

function createResponseHeaders(cookies: readonly string[], date?: string): Headers {
  const headers = new Headers(date === undefined ? {} : { date });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return headers;
}

test("cookies are sent back with their newest value, without attributes", () => {
  const jar = new CookieJar();
  assert.equal(jar.header(), null);
  jar.take(
    createResponseHeaders(["a=1; Path=/; HttpOnly; SameSite=Lax", "__Host-b=x=y==; Secure"]),
  );
  jar.take(createResponseHeaders(["a=2; Max-Age=600; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]));
  assert.equal(jar.header(), "a=2; __Host-b=x=y==");
});

test("a cookie is deleted by Max-Age 0, or when it has expired by the server's clock", () => {
  const jar = new CookieJar();
  const date = "Wed, 04 Nov 2026 10:00:00 GMT";
  jar.take(
    createResponseHeaders(["a=1", "b=1", "c=1; Expires=Wed, 04 Nov 2026 11:00:00 GMT"], date),
  );
  jar.take(
    createResponseHeaders(["a=; Max-Age=0", "b=; expires=Wed, 04 Nov 2026 09:59:59 GMT"], date),
  );
  assert.equal(jar.header(), "c=1");
  jar.take(createResponseHeaders(["c=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]));
  assert.equal(jar.header(), null);
});
