import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createECDH, createPrivateKey } from "node:crypto";
import { test } from "node:test";
import { exchangeKeys, verifyExchange, type KeyAgreement, type ExchangeKeys } from "./exchange.ts";
import { exchangeWithNode } from "./node-crypto.ts";
import { createOpensslExchange } from "./openssl.ts";

/** The size of an uncompressed point of P-256, and its first byte (SEC 1 section 2.3.3). */
const POINT_BYTES = 65;
const UNCOMPRESSED_FORM = 4;

const EXCHANGES: Readonly<Record<string, ExchangeKeys | null>> = {
  "the exchange with OpenSSL's functions": createOpensslExchange(),
  "the exchange with node:crypto": exchangeWithNode,
  "the selected exchange": exchangeKeys,
};

for (const [name, exchange] of Object.entries(EXCHANGES)) {
  test(`${name} agrees with the receiver`, () => {
    assert.ok(exchange !== null, "The Node that the project brings can call OpenSSL.");
    for (let round = 0; round < 200; round += 1) {
      const receiver = createECDH("prime256v1");
      const agreement: KeyAgreement | null = exchange(receiver.generateKeys());
      assert.ok(agreement !== null);
      assert.equal(agreement.senderPublicKey.length, POINT_BYTES);
      assert.deepEqual(receiver.computeSecret(agreement.senderPublicKey), agreement.sharedSecret);
    }
  });

  test(`${name} creates a key pair per call, and later calls do not change earlier results`, () => {
    assert.ok(exchange !== null);
    const receiver = createECDH("prime256v1").generateKeys();
    const senders = Array.from({ length: 50 }, () =>
      exchange(receiver)?.senderPublicKey.toString("hex"),
    );
    const firstAgreement = exchange(receiver);
    const firstSecret = firstAgreement?.sharedSecret.toString("hex");
    exchange(receiver);
    assert.equal(firstAgreement?.sharedSecret.toString("hex"), firstSecret);
    assert.equal(new Set(senders).size, 50);
  });

  test(`${name} refuses an invalid point and keeps working`, () => {
    assert.ok(exchange !== null);
    const receiver = createECDH("prime256v1").generateKeys();
    const offCurve = Buffer.from(receiver);
    offCurve[POINT_BYTES - 1] = (offCurve.at(-1) ?? 0) ^ 1;
    const tooLarge = Buffer.alloc(POINT_BYTES, 0xff);
    tooLarge[0] = UNCOMPRESSED_FORM;
    const zero = Buffer.alloc(POINT_BYTES);
    const allFours = Buffer.alloc(POINT_BYTES, UNCOMPRESSED_FORM);
    for (const invalidPoint of [offCurve, tooLarge, zero, allFours]) {
      assert.equal(exchange(invalidPoint), null);
    }
    assert.notEqual(exchange(receiver), null);
    const errorCodes = [readUnrelatedErrorCode()];
    exchange(offCurve);
    errorCodes.push(readUnrelatedErrorCode());
    assert.deepEqual(errorCodes, ["ERR_OSSL_UNSUPPORTED", "ERR_OSSL_UNSUPPORTED"]);
  });
}

test("an exchange that fails, refuses or disagrees is not used", () => {
  const failing: ExchangeKeys = () => {
    throw new Error("OpenSSL could not exchange keys.");
  };
  const disagreeing: ExchangeKeys = (receiver) => {
    const agreement = exchangeWithNode(receiver);
    return agreement && { ...agreement, sharedSecret: Buffer.alloc(32) };
  };
  for (const exchange of [null, failing, () => null, disagreeing]) {
    assert.equal(verifyExchange(exchange), null);
  }
  assert.equal(verifyExchange(exchangeWithNode), exchangeWithNode);
});

/**
 * Returns the error code of an unrelated failing call. The call reads the first entry of the thread's error queue, which
 * must be its own.
 */
function readUnrelatedErrorCode(): unknown {
  try {
    return createPrivateKey("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n");
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}

test("keys are exchanged with and without calls of OpenSSL, and no warning is printed", () => {
  const module = new URL("./exchange.ts", import.meta.url).href;
  const program = `
    import { createECDH } from "node:crypto";
    import { exchangeKeys } from ${JSON.stringify(module)};
    const receiver = createECDH("prime256v1");
    const { senderPublicKey, sharedSecret } = exchangeKeys(receiver.generateKeys());
    console.log(receiver.computeSecret(senderPublicKey).equals(sharedSecret));
  `;
  for (const flags of [[], ["--no-experimental-ffi"]]) {
    const command = [...flags, "--input-type=module", "--eval", program];
    const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
    assert.deepEqual({ stdout, stderr }, { stdout: "true\n", stderr: "" });
  }
});
