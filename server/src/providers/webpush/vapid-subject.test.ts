import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSubjectForApple } from "./vapid-subject.ts";

test("Apple accepts a public https URL and a real email address", () => {
  for (const subject of [
    "https://push.example.com",
    "https://push.example.com:8443/about",
    "mailto:operator@example.com",
    "mailto:first.last+push@Mail.Example.COM",
  ]) {
    assert.deepEqual(checkSubjectForApple(subject), { ok: true }, subject);
  }
});

test("a subject that Apple answers with BadJwtToken is refused with a reason", () => {
  const cases: readonly (readonly [string | null, RegExp])[] = [
    [null, /missing/u],
    ["", /neither/u],
    ["operator@example.com", /neither/u],
    ["http://push.example.com", /neither/u],
    ["https://", /neither/u],
    ["mailto:", /bare address/u],
    ["mailto: operator@example.com", /bare address/u],
    ["mailto:<operator@example.com>", /bare address/u],
    ["mailto:operator", /bare address/u],
    ["mailto:a@b@example.com", /bare address/u],
    ["mailto:root@localhost", /not a public name/u],
    ["mailto:operator@nas.local", /not a public name/u],
    ["mailto:operator@example.invalid", /not a public name/u],
    ["mailto:operator@NAS.LOCAL", /not a public name/u],
    ["mailto:operator@127.0.0.1", /IP address/u],
    ["https://localhost:8080", /not a public name/u],
    ["https://tocsin.lan", /not a public name/u],
    ["https://192.168.1.2", /IP address/u],
    ["https://[::1]", /IP address/u],
  ];
  for (const [subject, message] of cases) {
    const result = checkSubjectForApple(subject);
    assert.ok(!result.ok, String(subject));
    assert.match(result.message, message);
  }
});
