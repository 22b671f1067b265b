import assert from "node:assert/strict";
import { test } from "node:test";
import { assessBaseUrl } from "./base-url.ts";

test("any base URL but a public https one is a warning", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["http://localhost:8080", /works only on this machine.*iPhones and other machines/],
    ["http://127.0.0.1:8080", /works only on this machine/],
    ["https://[::1]", /works only on this machine/],
    ["http://push.example.com", /not encrypted/],
    ["http://192.168.1.2:8080", /not encrypted/],
    ["https://192.168.1.2", /inside one network/],
    ["https://[fd00::1]", /inside one network/],
    ["https://nas.lan", /inside one network/],
    ["https://nas", /inside one network/],
  ];
  for (const [baseUrl, message] of cases) {
    const verdict = assessBaseUrl(baseUrl);
    assert.equal(verdict.status, "warn", baseUrl);
    assert.match(verdict.message, message);
    assert.match(verdict.mend ?? "", /TOCSIN_BASE_URL/);
  }
  for (const baseUrl of ["https://push.example.com", "https://8.8.8.8:8443"]) {
    assert.deepEqual([assessBaseUrl(baseUrl).status, assessBaseUrl(baseUrl).mend], ["ok", null]);
  }
});
