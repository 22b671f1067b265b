import webpush from "web-push";
import { SUBJECT } from "./sender-credentials.ts";

/** Returns options of the npm package `web-push` for the sample, with a new sender key. */
export function createWebPushOptions() {
  const vapidDetails = { subject: SUBJECT, ...webpush.generateVAPIDKeys() };
  return { vapidDetails, TTL: 86_400, urgency: "high", topic: "01JD4ZK3M1N8Q2R5" } as const;
}
