import assert from "node:assert/strict";
import test from "node:test";
import { COOKIES } from "#http/cookies.ts";
import { newToken } from "#token.ts";
import { createSessionCookie } from "./cookie.ts";

const SECRET = "a secret of this test, long enough to sign";
const PLAIN = { secret: SECRET, baseUrl: "http://localhost:8080", cookies: COOKIES };
const cookie = createSessionCookie(PLAIN);

/** Made by better-auth 1.7.7, which signed the cookies of earlier versions. */
const EARLIER = [
  [
    "4Tb0yTQxWqXm3vJ0oB1c2d3e4f5",
    "tocsin_session=4Tb0yTQxWqXm3vJ0oB1c2d3e4f5.wg1pIwpQfgj%2BXtfgwn8AYnqfTu9O5YJ0uitYFEibV%2Fc%3D; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
  ],
  [
    "0_-AZ3456789012345678901234",
    "tocsin_session=0_-AZ3456789012345678901234.fV27lA%2BpYuLW8qqScCknA2mYGF5tthwCUSt1XpYOvQw%3D; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax",
  ],
] as const;

test("cookies of earlier versions are read, and ours are the same bytes", () => {
  for (const [token, line] of EARLIER) {
    assert.equal(cookie.read(line.split(";", 1)[0]), token);
    assert.equal(cookie.line(token), line);
  }
});

test("over https the cookie is bound to its host, and no other name counts", () => {
  const secure = createSessionCookie({ ...PLAIN, baseUrl: "https://push.example.org" });
  const line = secure.line(newToken());
  assert.match(
    line,
    /^__Host-tocsin_session=\S+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.match(secure.ended(), /^__Host-tocsin_session=; Max-Age=0; Path=\/; HttpOnly; Secure;/);
  assert.equal(secure.read(line.replace("__Host-", "")), null);
  assert.equal(secure.read(line.replace("__Host-", "__Secure-")), null);
});

test("a cookie opens nothing once a character of it is another one", () => {
  const token = newToken();
  const value = valueOf(cookie.line(token));
  assert.equal(read(value), token);
  const decoded = decodeURIComponent(value);
  assert.equal(read(decoded), token);
  for (let at = 0; at < decoded.length; at += 1) {
    for (const other of ["A", "B", ".", "=", "%00", ""]) {
      if (decoded[at] === other) continue;
      const changed = decoded.slice(0, at) + other + decoded.slice(at + 1);
      assert.equal(read(changed), null, changed);
    }
  }
});

test("a cookie opens nothing with the signature of another one, of another server, or with none", () => {
  const [ours, others] = [newToken(), newToken()];
  const [, signature = ""] = valueOf(cookie.line(others)).split(".");
  const stranger = createSessionCookie({
    ...PLAIN,
    secret: "the secret of another server, as long",
  });
  for (const value of [
    `${ours}.${signature}`,
    valueOf(stranger.line(ours)),
    ours,
    `${ours}.`,
    `.${signature}`,
    `.${valueOf(cookie.line("")).slice(1)}`,
    `${ours}.${ours}`,
    "",
    ".",
    "%",
    "%E0%A4%A",
    `"${valueOf(cookie.line(ours))}"`,
    valueOf(cookie.line(ours)).repeat(2),
  ]) {
    assert.equal(read(value), null, value);
  }
  assert.equal(cookie.read(undefined), null);
});

test("of the base64 forms of a signature one counts", () => {
  const value = decodeURIComponent(valueOf(cookie.line(newToken())));
  assert.equal(read(value.slice(0, -1)), null, "without padding");
  const last = value.at(-2) ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  // Its two lowest bits are no part of the 256.
  const twin = alphabet.charAt(alphabet.indexOf(last) ^ 1);
  const twins = `${value.slice(0, -2)}${twin}=`;
  const bytesOf = (text: string) => Buffer.from(text.slice(text.lastIndexOf(".")), "base64");
  assert.deepEqual(bytesOf(twins), bytesOf(value));
  assert.equal(read(twins), null);
});

test("the first of several cookies of the name counts", () => {
  const [first, second] = [newToken(), newToken()];
  const pairs = [first, second].map((token) => cookie.line(token).split(";", 1)[0]);
  assert.equal(cookie.read(`theme=dark; ${pairs.join("; ")}`), first);
  assert.equal(cookie.read(`x${pairs[0]}`), null);
});

function read(value: string): string | null {
  return cookie.read(`tocsin_session=${value}`);
}

function valueOf(line: string): string {
  return line.split(";", 1).join("").slice("tocsin_session=".length);
}
