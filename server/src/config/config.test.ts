import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./config.ts";

test("the dialects are all, none, or those of a list", () => {
  const read = (list: string) => readConfig({ TOCSIN_DIALECTS: list }).dialects;
  assert.deepEqual(read(""), ["ntfy", "gotify", "pushover"]);
  assert.deepEqual(read(" Gotify , gotify"), ["gotify"]);
  assert.deepEqual(read("none"), []);
  for (const list of ["none,gotify", "gotify,", "all"]) {
    assert.throws(
      () => read(list),
      /TOCSIN_DIALECTS: give none, or a list of ntfy, gotify, pushover\./,
      list,
    );
  }
});

test("almost valid values are refused", () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    TOCSIN_TRUST_PROXY: ["dead", "10.0.0.0/33", "::1/129", "1.2.3", "10.0.0.1,,"],
    TOCSIN_WEBPUSH_HOSTS: ["vendors,https://push.example.org", "vendors,a b", "open,"],
    TOCSIN_BASE_URL: [
      "ftp://example.org",
      "https://ann@example.org",
      "https://:x@example.org",
      "https://example.org?x",
      "https://example.org/tocsin",
    ],
    // A SQLite file belongs to one process, which has every role.
    TOCSIN_ROLE: ["worker", "api"],
    TOCSIN_PORT: ["1e3", "0x50", "-1", "80 80"],
  };
  for (const [name, values] of Object.entries(cases)) {
    for (const value of values) {
      assert.throws(() => readConfig({ [name]: value }), new RegExp(`- ${name}: `), value);
    }
  }
});
