import { randomBytes, randomUUID } from "node:crypto";
import type { Message } from "#providers/provider.ts";
import { SAMPLE } from "./sample.ts";

const DEVICES = 10_000;
const tokens = Array.from({ length: DEVICES }, () => randomBytes(32).toString("hex"));
let next = 0;

/** Returns one notification as a provider gets it. */
export function sampleMessage(): Message {
  const nowMs = Date.now();
  return {
    ...SAMPLE,
    notificationId: randomUUID(),
    sound: "default",
    image: null,
    timeSensitive: true,
    createdAt: nowMs,
    expiresAt: nowMs + 86_400_000,
  };
}

/** Returns the token of the next of ten thousand devices. */
export function nextToken(): string {
  next = (next + 1) % DEVICES;
  return tokens[next] ?? "";
}
