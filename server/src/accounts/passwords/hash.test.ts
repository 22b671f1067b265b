import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import crypto, { type ScryptOptions } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { hashPassword, verifyPassword } from "./hash.ts";

/** Created by better-auth 1.7.7, which hashed the passwords of earlier versions. */
const EARLIER_HASHES = [
  [
    "correct horse",
    "83ca1ecbe76e2c3057c26a376c961d1f:582324b0812643655a0e357dfb4cbd012b8c3420037c4963fc55181fa4fb28a41f83e97f1cd3a378a097361164abd55879454c5e93882f3ea9f2ee5b13d3d2a7",
  ],
  // Contains a combining mark, a circled digit and a ligature.
  [
    "Passwo\u0308rt \u2460 \uFB01",
    "f5bca38e65a29f929929dce61bdf0bc3:81d61e7fa94e3fbb54e2ec8a2ac11424284e423d9a00f14678fc9f6bea1ba18ddff656d3d3db1e57bffc27915afb1f441b0c9bb1b4b4f2b7ee84b0e38eeefe56",
  ],
] as const;

test("hashes of earlier versions still verify", async () => {
  const [plain, unicode] = EARLIER_HASHES;
  const cases = [
    ...EARLIER_HASHES,
    ["Passw\u00F6rt 1 fi", unicode[1]],
    ["correct horsf", plain[1]],
    ["Passw\u00F6rt 2 fi", unicode[1]],
  ];
  // Tests run with a cheap scrypt. This test needs the real parameters.
  const { NODE_OPTIONS: _cheapScryptOptions, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", VERIFY_SCRIPT, JSON.stringify(cases)],
    { cwd: import.meta.dirname, env },
  );
  assert.deepEqual(JSON.parse(stdout), [true, true, true, false, false]);
});

const VERIFY_SCRIPT = `
  import { verifyPassword } from "./hash.ts";
  const cases = JSON.parse(process.argv[1]);
  const results = cases.map(([password, stored]) => verifyPassword(stored, password));
  console.log(JSON.stringify(await Promise.all(results)));`;

test("two hashes of one password differ, and both verify", async () => {
  const [firstHash, secondHash] = await Promise.all([hashPassword("horse"), hashPassword("horse")]);
  assert.match(firstHash, /^[0-9a-f]{32}:[0-9a-f]{128}$/);
  assert.notEqual(firstHash, secondHash);
  assert.deepEqual(
    await Promise.all(
      [firstHash, secondHash].map((storedHash) => verifyPassword(storedHash, "horse")),
    ),
    [true, true],
  );
});

test("a malformed stored hash matches no password", async () => {
  const storedHash = await hashPassword("horse");
  const [salt = "", key = ""] = storedHash.split(":");
  const malformedHashes = [
    `${salt}:${key.slice(0, -2)}`,
    `${salt}:${key}00`,
    `${salt}:`,
    salt,
    "",
    ":",
  ];
  for (const text of [...malformedHashes, `${salt}:${"zz".repeat(64)}`, `:${key}`]) {
    assert.equal(await verifyPassword(text, "horse"), false, text);
  }
});

test("at most two passwords are hashed concurrently, and a password is refused if too many wait", async (t) => {
  const { calls, completeOldest } = delayScrypt(t);
  const hashes = Array.from({ length: 256 }, () => hashPassword("horse"));
  await assert.rejects(hashPassword("horse"), { code: "unavailable", retryAfterMs: 5_000 });
  let concurrentMax = 0;
  for (let endedCount = 0; endedCount < hashes.length; endedCount += 1) {
    concurrentMax = Math.max(concurrentMax, calls.length);
    completeOldest();
    await hashes[endedCount];
  }
  assert.equal(concurrentMax, 2);
  const laterHash = hashPassword("horse");
  completeOldest();
  assert.match(await laterHash, /:/);
});

type Callback = (error: Error | null, key: Buffer) => void;

/** Delays each call of scrypt until `completeOldest` completes the oldest. */
function delayScrypt(t: TestContext) {
  const { scrypt } = crypto;
  const calls: Callback[] = [];
  const delayedScrypt = (
    _password: string,
    _salt: string,
    length: number,
    _options: ScryptOptions,
    callback: Callback,
  ) => calls.push((error) => callback(error, Buffer.alloc(length)));
  Object.assign(crypto, { scrypt: delayedScrypt });
  syncBuiltinESMExports();
  t.after(() => {
    Object.assign(crypto, { scrypt });
    syncBuiltinESMExports();
  });
  return { calls, completeOldest: () => calls.shift()?.(null, Buffer.alloc(0)) };
}
