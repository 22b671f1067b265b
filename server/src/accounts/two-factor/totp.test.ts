import assert from "node:assert/strict";
import test from "node:test";
import { Secret, TOTP, URI } from "otpauth";
import { generateTotpCode } from "../../../test/support/totp-code.ts";
import { findMatchingStep, generateTotpSecret, formatTotpUri } from "./totp.ts";

/** From RFC 6238, appendix B: the secret in ASCII, times in seconds, and the last six digits of the codes. */
const SECRET = Secret.fromUTF8("12345678901234567890").base32;
const VECTORS = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
] as const;

test("codes match the vectors of RFC 6238", () => {
  for (const [seconds, code] of VECTORS) {
    assert.equal(
      findMatchingStep(SECRET, { code, now: seconds * 1_000 }),
      Math.floor(seconds / 30),
    );
  }
});

test("a code is valid one step before and after its own and no longer, and a malformed one never", () => {
  const secret = generateTotpSecret();
  for (let round = 0; round < 200; round += 1) {
    const time = round * 7_654_321_987;
    const code = generateTotpCode(secret, time);
    const findStepAt = (shiftMs: number) => findMatchingStep(secret, { code, now: time + shiftMs });
    const step = Math.floor(time / 30_000);
    assert.deepEqual(
      [findStepAt(0), findStepAt(30_000), findStepAt(60_000)],
      [step, step, null],
      `${time}`,
    );
    if (round > 0) assert.equal(findStepAt(-30_000), step);
  }
  for (const code of ["", "12345", "1234567", "12345a", "１２３４５６"]) {
    assert.equal(findMatchingStep(secret, { code, now: 0 }), null);
  }
});

test("an authenticator app reads secret and account from the URI", () => {
  const secret = generateTotpSecret();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  const parsedUri = URI.parse(formatTotpUri({ secret, email: "ann+push@example.org" }));
  assert.ok(parsedUri instanceof TOTP);
  const { issuer, label, algorithm, digits, period } = parsedUri;
  assert.equal(parsedUri.secret.base32, secret);
  assert.deepEqual(
    { issuer, label, algorithm, digits, period },
    { issuer: "Tocsin", label: "ann+push@example.org", algorithm: "SHA1", digits: 6, period: 30 },
  );
});
