import assert from "node:assert/strict";
import test from "node:test";
import { HARMLESS_LINK_SCHEMES, decideLinkWay, REFUSED_LINK_SCHEMES } from "./link.ts";
import { REGISTERED_SCHEMES, UNREGISTERED_SCHEMES } from "./uri-schemes.fixture.ts";

const HARMLESS: ReadonlySet<string> = new Set(HARMLESS_LINK_SCHEMES);
const REFUSED: ReadonlySet<string> = new Set(REFUSED_LINK_SCHEMES);
/** No registry lists these schemes, so links with them need confirmation. */
const UNKNOWN_SCHEMES = ["x", "a.b", "com.example.app", "web+app", "zz-9.plural+z"];

test("only schemes known to be harmless are opened immediately", () => {
  const schemes = [
    ...new Set([...REGISTERED_SCHEMES, ...UNREGISTERED_SCHEMES, ...UNKNOWN_SCHEMES]),
  ];
  assert.ok(schemes.length > 400, String(schemes.length));
  for (const scheme of schemes) {
    const name = `${scheme.toLowerCase()}:`;
    const expected = REFUSED.has(name) ? "never" : HARMLESS.has(name) ? "open" : "ask";
    for (const spelling of [scheme, scheme.toUpperCase(), ` ${scheme}`]) {
      // `http:123` would be parsed as a host, so web links get a real one.
      const link = /^https?$/.test(scheme) ? `${spelling}://example.org/` : `${spelling}:123`;
      assert.equal(decideLinkWay(link), expected, link);
    }
  }
});

test("text that is not an absolute URL is never opened", () => {
  for (const link of [
    "",
    "example.org",
    "/a",
    "//example.org",
    "#a",
    "?a",
    "https://",
    "__proto__",
  ]) {
    assert.equal(decideLinkWay(link), "never", link);
  }
  for (const link of ["java\nscript:a()", "\tjavascript:a()", "JaVaScRiPt:a()", "\u0001data:,a"]) {
    assert.equal(decideLinkWay(link), "never", link);
  }
});

test("a URL that does more than its harmless scheme promises needs confirmation", () => {
  for (const link of [
    "tel:+49-123(4).5",
    "sms:+49123?body=Hi",
    "mailto:a@example.org?subject=A&Body=B",
  ]) {
    assert.equal(decideLinkWay(link), "open", link);
  }
  for (const link of [
    "tel:*%2306%23",
    "tel:*#06#",
    "tel:123;phone-context=example.org",
    "tel:123?a=b",
    "sms:*100%23",
    "mailto:a@example.org?attach=/etc/passwd",
    "mailto:?subject=A&attachment=C:%5Csecrets",
    "https://user:password@evil.example/",
    "https://example.org@evil.example/",
    "matrix://user@evil.example/",
  ]) {
    assert.equal(decideLinkWay(link), "ask", link);
  }
});
