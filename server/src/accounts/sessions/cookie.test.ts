import assert from "node:assert/strict";
import test from "node:test";
import { COOKIE_FUNCTIONS } from "#http/cookies.ts";
import { newToken } from "#token.ts";
import { createSessionCookie } from "./cookie.ts";

const SECRET = "a secret of this test, long enough to sign";
const HTTP_DEPS = { secret: SECRET, baseUrl: "http://localhost:8080", cookies: COOKIE_FUNCTIONS };
const cookie = createSessionCookie(HTTP_DEPS);

/** Created by better-auth 1.7.7, which signed the cookies of earlier versions. */
const EARLIER_COOKIES = [
  [
    "4Tb0yTQxWqXm3vJ0oB1c2d3e4f5",
    "tocsin_session=4Tb0yTQxWqXm3vJ0oB1c2d3e4f5.wg1pIwpQfgj%2BXtfgwn8AYnqfTu9O5YJ0uitYFEibV%2Fc%3D; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
  ],
  [
    "0_-AZ3456789012345678901234",
    "tocsin_session=0_-AZ3456789012345678901234.fV27lA%2BpYuLW8qqScCknA2mYGF5tthwCUSt1XpYOvQw%3D; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
  ],
] as const;

test("cookies are byte for byte the same as in earlier versions", () => {
  for (const [token, line] of EARLIER_COOKIES) {
    assert.equal(cookie.read(line.split(";", 1)[0]), token);
    assert.equal(cookie.format(token), line);
  }
});

test("over https only the cookie with the __Host- prefix is accepted", () => {
  const secureCookie = createSessionCookie({ ...HTTP_DEPS, baseUrl: "https://push.example.org" });
  const line = secureCookie.format(newToken());
  assert.match(
    line,
    /^__Host-tocsin_session=\S+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.match(
    secureCookie.formatDeletion(),
    /^__Host-tocsin_session=; Max-Age=0; Path=\/; HttpOnly; Secure;/,
  );
  assert.equal(secureCookie.read(line.replace("__Host-", "")), null);
  assert.equal(secureCookie.read(line.replace("__Host-", "__Secure-")), null);
});

test("a changed cookie is refused", () => {
  const token = newToken();
  const value = toCookieValue(cookie.format(token));
  assert.equal(read(value), token);
  const decodedValue = decodeURIComponent(value);
  assert.equal(read(decodedValue), token);
  for (let index = 0; index < decodedValue.length; index += 1) {
    for (const replacement of ["A", "B", ".", "=", "%00", ""]) {
      if (decodedValue[index] === replacement) continue;
      const changedValue =
        decodedValue.slice(0, index) + replacement + decodedValue.slice(index + 1);
      assert.equal(read(changedValue), null, changedValue);
    }
  }
});

test("a cookie without its own valid signature is refused", () => {
  const token = newToken();
  const otherToken = newToken();
  const [, signature = ""] = toCookieValue(cookie.format(otherToken)).split(".");
  const otherServersCookie = createSessionCookie({
    ...HTTP_DEPS,
    secret: "the secret of another server, as long",
  });
  for (const value of [
    `${token}.${signature}`,
    toCookieValue(otherServersCookie.format(token)),
    token,
    `${token}.`,
    `.${signature}`,
    `.${toCookieValue(cookie.format("")).slice(1)}`,
    `${token}.${token}`,
    "",
    ".",
    "%",
    "%E0%A4%A",
    `"${toCookieValue(cookie.format(token))}"`,
    toCookieValue(cookie.format(token)).repeat(2),
  ]) {
    assert.equal(read(value), null, value);
  }
  assert.equal(cookie.read(undefined), null);
});

test("only one base64 form of a signature is accepted", () => {
  const value = decodeURIComponent(toCookieValue(cookie.format(newToken())));
  assert.equal(read(value.slice(0, -1)), null, "without padding");
  const lastCharacter = value.at(-2) ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  // The last of the 43 characters has two unused bits, because a signature has 256 bits and not 258.
  const equivalentCharacter = alphabet.charAt(alphabet.indexOf(lastCharacter) ^ 1);
  const equivalentValue = `${value.slice(0, -2)}${equivalentCharacter}=`;
  const decode = (text: string) => Buffer.from(text.slice(text.lastIndexOf(".")), "base64");
  assert.deepEqual(decode(equivalentValue), decode(value));
  assert.equal(read(equivalentValue), null);
});

test("the first of several cookies with the same name is used, and a longer name is ignored", () => {
  const first = newToken();
  const second = newToken();
  const pairs = [first, second].map((token) => cookie.format(token).split(";", 1)[0]);
  assert.equal(cookie.read(`theme=dark; ${pairs.join("; ")}`), first);
  assert.equal(cookie.read(`x${pairs[0]}`), null);
});

function read(value: string): string | null {
  return cookie.read(`tocsin_session=${value}`);
}

function toCookieValue(line: string): string {
  return line.split(";", 1).join("").slice("tocsin_session=".length);
}
