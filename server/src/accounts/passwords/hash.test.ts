import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import crypto, { type ScryptOptions } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import test, { type TestContext } from "node:test";
import { promisify } from "node:util";
import { hashPassword, verifyPassword } from "./hash.ts";

/** Made by better-auth 1.7.7, which hashed the passwords of earlier versions. */
const EARLIER = [
  [
    "correct horse",
    "83ca1ecbe76e2c3057c26a376c961d1f:582324b0812643655a0e357dfb4cbd012b8c3420037c4963fc55181fa4fb28a41f83e97f1cd3a378a097361164abd55879454c5e93882f3ea9f2ee5b13d3d2a7",
  ],
  // Written with a combining mark, a circled digit and a ligature.
  [
    "Passwo\u0308rt \u2460 \uFB01",
    "f5bca38e65a29f929929dce61bdf0bc3:81d61e7fa94e3fbb54e2ec8a2ac11424284e423d9a00f14678fc9f6bea1ba18ddff656d3d3db1e57bffc27915afb1f441b0c9bb1b4b4f2b7ee84b0e38eeefe56",
  ],
] as const;

test("passwords that earlier versions hashed are still right, and no others", async () => {
  const [plain, unicode] = EARLIER;
  const asked = [
    ...EARLIER,
    ["Passw\u00F6rt 1 fi", unicode[1]],
    ["correct horsf", plain[1]],
    ["Passw\u00F6rt 2 fi", unicode[1]],
  ];
  // Tests run with a cheap scrypt: this one needs that of the product.
  const { NODE_OPTIONS: _quick, ...env } = process.env;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", VERIFY, JSON.stringify(asked)],
    { cwd: import.meta.dirname, env },
  );
  assert.deepEqual(JSON.parse(stdout), [true, true, true, false, false]);
});

const VERIFY = `
  import { verifyPassword } from "./hash.ts";
  const asked = JSON.parse(process.argv[1]);
  const answers = asked.map(([password, stored]) => verifyPassword(stored, password));
  console.log(JSON.stringify(await Promise.all(answers)));`;

test("two hashes of one password differ, and both are right", async () => {
  const [first, second] = await Promise.all([hashPassword("horse"), hashPassword("horse")]);
  assert.match(first, /^[0-9a-f]{32}:[0-9a-f]{128}$/);
  assert.notEqual(first, second);
  assert.deepEqual(
    await Promise.all([first, second].map((stored) => verifyPassword(stored, "horse"))),
    [true, true],
  );
});

test("a stored text of another form is nobody's password", async () => {
  const stored = await hashPassword("horse");
  const [salt = "", key = ""] = stored.split(":");
  const cut = [`${salt}:${key.slice(0, -2)}`, `${salt}:${key}00`, `${salt}:`, salt, "", ":"];
  for (const text of [...cut, `${salt}:${"zz".repeat(64)}`, `:${key}`]) {
    assert.equal(await verifyPassword(text, "horse"), false, text);
  }
});

test("two are hashed at once, others wait, and who would wait too long is refused", async (t) => {
  const { calls, end } = holdScrypt(t);
  const all = Array.from({ length: 256 }, () => hashPassword("horse"));
  await assert.rejects(hashPassword("horse"), { code: "unavailable", retryAfterMs: 5_000 });
  let most = 0;
  for (let ended = 0; ended < all.length; ended += 1) {
    most = Math.max(most, calls.length);
    end();
    await all[ended];
  }
  assert.equal(most, 2);
  const later = hashPassword("horse");
  end();
  assert.match(await later, /:/);
});

type Callback = (error: Error | null, key: Buffer) => void;

/** Lets each call of scrypt wait until `end` ends the oldest. */
function holdScrypt(t: TestContext) {
  const { scrypt } = crypto;
  const calls: Callback[] = [];
  const held = (
    _password: string,
    _salt: string,
    length: number,
    _options: ScryptOptions,
    callback: Callback,
  ) => calls.push((error) => callback(error, Buffer.alloc(length)));
  Object.assign(crypto, { scrypt: held });
  syncBuiltinESMExports();
  t.after(() => {
    Object.assign(crypto, { scrypt });
    syncBuiltinESMExports();
  });
  return { calls, end: () => calls.shift()?.(null, Buffer.alloc(0)) };
}
