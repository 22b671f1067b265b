import { createCipheriv, createECDH, createHmac, randomBytes } from "node:crypto";
import { nextBrowser } from "../support/browsers.ts";
import { createRoundRobin } from "../support/round-robin.ts";
import { createSampleMessage } from "../support/sample-message.ts";
import {
  measureThroughput,
  type ThroughputFigures,
  type MeasurementDurations,
} from "../measure-throughput.ts";

/** The size of the longest info in RFC 8291 section 3.4: a text, and two public keys of 65 bytes. */
const INFO_BYTES = "WebPush: info\0".length + 2 * 65;

/**
 * Does only the OpenSSL work of one message of RFC 8291: a key pair, a shared secret, five HMACs and AES-GCM over the
 * text, with no encoding and no checks.
 */
export async function measureRound(
  _input: object,
  durations: MeasurementDurations,
): Promise<ThroughputFigures> {
  const plaintext = Buffer.from(JSON.stringify(createSampleMessage()));
  const nextReceiver = createRoundRobin(
    Array.from({ length: 1_000 }, () => Buffer.from(nextBrowser().keys.p256dh, "base64url")),
  );
  const salt = randomBytes(16);
  const info = randomBytes(INFO_BYTES);
  return measureThroughput({ concurrency: 1, durations }, async () => {
    await new Promise(setImmediate);
    const pair = createECDH("prime256v1");
    pair.generateKeys();
    const shared = pair.computeSecret(nextReceiver());
    let key = createHmac("sha256", salt).update(shared).digest();
    for (let round = 0; round < 4; round += 1)
      key = createHmac("sha256", key).update(info).digest();
    // A content key of 16 bytes and a nonce of 12.
    const cipher = createCipheriv("aes-128-gcm", key.subarray(0, 16), key.subarray(16, 28));
    cipher.update(plaintext);
    cipher.final();
    cipher.getAuthTag();
  });
}
