// The entry point of an encryption thread.
import { parentPort } from "node:worker_threads";
import { encrypt, UnusableKeysError } from "../encrypt.ts";
import type { EncryptedBatch, EncryptionBatch } from "./protocol.ts";

// Node writes a crash report for each thread, and the environment holds secrets.
process.report.excludeEnv = true;

const EMPTY = new Uint8Array(0);

parentPort?.on("message", (batch: EncryptionBatch) => {
  const encrypted = encryptAll(batch);
  parentPort?.postMessage(encrypted, [encrypted.bytes.buffer]);
});

function encryptAll({ id, plaintexts, items }: EncryptionBatch): EncryptedBatch {
  const bodies: Buffer[] = [];
  const ends: (number | null)[] = [];
  const unusable: Record<number, string> = {};
  let length = 0;
  for (const [index, { keys, plaintext }] of items.entries()) {
    try {
      const body = encrypt({ keys, plaintext: Buffer.from(plaintexts[plaintext] ?? EMPTY) });
      bodies.push(body);
      length += body.length;
      ends.push(length);
    } catch (error) {
      if (!(error instanceof UnusableKeysError)) throw error;
      ends.push(null);
      unusable[index] = error.message;
    }
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const body of bodies) {
    bytes.set(body, offset);
    offset += body.length;
  }
  return { id, bytes, ends, unusable };
}
