import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeBaseUrl } from "./base-url.ts";

test("only a public https address works for everybody", () => {
  const rows: readonly (readonly [string, RegExp])[] = [
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
  for (const [baseUrl, message] of rows) {
    const verdict = judgeBaseUrl(baseUrl);
    assert.equal(verdict.status, "warn", baseUrl);
    assert.match(verdict.message, message);
    assert.match(verdict.mend ?? "", /TOCSIN_BASE_URL/);
  }
  for (const baseUrl of ["https://push.example.com", "https://8.8.8.8:8443"]) {
    assert.deepEqual([judgeBaseUrl(baseUrl).status, judgeBaseUrl(baseUrl).mend], ["ok", null]);
  }
});
