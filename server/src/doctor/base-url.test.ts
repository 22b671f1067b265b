import assert from "node:assert/strict";
import { test } from "node:test";
import { assessBaseUrl } from "./base-url.ts";

test("a public https base URL is ok, and every other one is a warning with its remedy", () => {
  const cases: readonly (readonly [baseUrl: string, message: RegExp])[] = [
    ["http://localhost:8080", /works only on this machine.*including iPhones/],
    ["http://127.0.0.1:8080", /works only on this machine/],
    ["https://[::1]", /works only on this machine/],
    ["http://push.example.com", /not encrypted/],
    ["http://192.168.1.2:8080", /not encrypted/],
    ["https://192.168.1.2", /cannot be reached from the internet/],
    ["https://[fd00::1]", /cannot be reached from the internet/],
    ["https://nas.lan", /cannot be reached from the internet/],
    ["https://nas", /cannot be reached from the internet/],
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
