// The entry point of an encryption thread.
import { parentPort } from "node:worker_threads";
import { encrypt, UnusableKeysError } from "../encrypt.ts";
import type { Encrypted, EncryptionOrder } from "./protocol.ts";

// Node writes a crash report for each thread, and the environment holds secrets.
process.report.excludeEnv = true;

const NOTHING = new Uint8Array(0);

parentPort?.on("message", (order: EncryptionOrder) => {
  const encrypted = encryptAll(order);
  parentPort?.postMessage(encrypted, [encrypted.bytes.buffer]);
});

function encryptAll({ id, plaintexts, items }: EncryptionOrder): Encrypted {
  const bodies: Buffer[] = [];
  const ends: (number | null)[] = [];
  const unusable: Record<number, string> = {};
  let length = 0;
  for (const [index, { keys, plaintext }] of items.entries()) {
    try {
      const body = encrypt({ keys, plaintext: Buffer.from(plaintexts[plaintext] ?? NOTHING) });
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
  let at = 0;
  for (const body of bodies) {
    bytes.set(body, at);
    at += body.length;
  }
  return { id, bytes, ends, unusable };
}
