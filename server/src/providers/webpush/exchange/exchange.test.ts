import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createECDH, createPrivateKey } from "node:crypto";
import { test } from "node:test";
import { exchangeKeys, ifItAgrees, type Exchanged, type ExchangeKeys } from "./exchange.ts";
import { exchangeByNode } from "./node-crypto.ts";
import { exchangeByOpenssl } from "./openssl.ts";

const EXCHANGES: Readonly<Record<string, ExchangeKeys | null>> = {
  "the exchange by OpenSSL's functions": exchangeByOpenssl(),
  "the exchange by node:crypto": exchangeByNode,
  "the one that is chosen": exchangeKeys,
};

for (const [name, exchange] of Object.entries(EXCHANGES)) {
  test(`${name} agrees with the receiver`, () => {
    assert.ok(exchange !== null, "The Node that the project brings can call OpenSSL.");
    for (let round = 0; round < 200; round += 1) {
      const receiver = createECDH("prime256v1");
      const exchanged: Exchanged | null = exchange(receiver.generateKeys());
      assert.ok(exchanged !== null);
      assert.equal(exchanged.sender.length, 65);
      assert.deepEqual(receiver.computeSecret(exchanged.sender), exchanged.shared);
    }
  });

  test(`${name} makes a key pair for each call, and later calls leave what it returned alone`, () => {
    assert.ok(exchange !== null);
    const receiver = createECDH("prime256v1").generateKeys();
    const senders = Array.from({ length: 50 }, () => exchange(receiver)?.sender.toString("hex"));
    const first = exchange(receiver);
    const before = first?.shared.toString("hex");
    exchange(receiver);
    assert.equal(first?.shared.toString("hex"), before);
    assert.equal(new Set(senders).size, 50);
  });

  test(`${name} refuses what is no point on the curve, and goes on`, () => {
    assert.ok(exchange !== null);
    const receiver = createECDH("prime256v1").generateKeys();
    const offCurve = Buffer.from(receiver);
    offCurve[64] = (offCurve[64] ?? 0) ^ 1;
    const tooLarge = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 0xff)]);
    for (const bad of [offCurve, tooLarge, Buffer.alloc(65), Buffer.alloc(65, 4)]) {
      assert.equal(exchange(bad), null);
    }
    assert.notEqual(exchange(receiver), null);
    const failures = [failureOfAnother()];
    exchange(offCurve);
    failures.push(failureOfAnother());
    assert.deepEqual(failures, ["ERR_OSSL_UNSUPPORTED", "ERR_OSSL_UNSUPPORTED"]);
  });
}

test("an exchange that fails, refuses or disagrees is not taken", () => {
  const fails: ExchangeKeys = () => {
    throw new Error("OpenSSL could not exchange keys.");
  };
  const disagrees: ExchangeKeys = (receiver) => {
    const exchanged = exchangeByNode(receiver);
    return exchanged && { ...exchanged, shared: Buffer.alloc(32) };
  };
  for (const exchange of [null, fails, () => null, disagrees]) {
    assert.equal(ifItAgrees(exchange), null);
  }
  assert.equal(ifItAgrees(exchangeByNode), exchangeByNode);
});

/**
 * Returns the error code of an unrelated failing call. It reads the first entry of the thread's error queue, which must be
 * its own.
 */
function failureOfAnother(): unknown {
  try {
    return createPrivateKey("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n");
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}

test("nothing is printed, and where OpenSSL cannot be called node:crypto does it", () => {
  const module = new URL("./exchange.ts", import.meta.url).href;
  const program = `
    import { createECDH } from "node:crypto";
    import { exchangeKeys } from ${JSON.stringify(module)};
    const receiver = createECDH("prime256v1");
    const { sender, shared } = exchangeKeys(receiver.generateKeys());
    console.log(receiver.computeSecret(sender).equals(shared));
  `;
  for (const flags of [[], ["--no-experimental-ffi"]]) {
    const command = [...flags, "--input-type=module", "--eval", program];
    const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
    assert.deepEqual({ stdout, stderr }, { stdout: "true\n", stderr: "" });
  }
});
