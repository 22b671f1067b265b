// The entry point of an encryption thread.
import { parentPort } from "node:worker_threads";
import { encrypt, UnusableKeysError } from "../encrypt.ts";
import type { EncryptedBatch, EncryptionBatch } from "./protocol.ts";

// Node writes a crash report for each thread, and the environment holds secrets.
process.report.excludeEnv = true;

const EMPTY_BYTES = new Uint8Array(0);

parentPort?.on("message", (batch: EncryptionBatch) => {
  const encrypted = encryptAll(batch);
  parentPort?.postMessage(encrypted, [encrypted.bytes.buffer]);
});

function encryptAll({ id, plaintexts, items }: EncryptionBatch): EncryptedBatch {
  const bodies: Buffer[] = [];
  const bodyEnds: (number | null)[] = [];
  const unusableReasons: Record<number, string> = {};
  let length = 0;
  for (const [index, { keys, plaintextIndex }] of items.entries()) {
    try {
      const body = encrypt({
        keys,
        plaintext: Buffer.from(plaintexts[plaintextIndex] ?? EMPTY_BYTES),
      });
      bodies.push(body);
      length += body.length;
      bodyEnds.push(length);
    } catch (error) {
      if (!(error instanceof UnusableKeysError)) throw error;
      bodyEnds.push(null);
      unusableReasons[index] = error.message;
    }
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const body of bodies) {
    bytes.set(body, offset);
    offset += body.length;
  }
  return { id, bytes, bodyEnds, unusableReasons };
}
