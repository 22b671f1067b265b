import { join } from "node:path";
import type { BenchCase, Contender } from "../case.ts";
import { startPeer } from "../start-peer.ts";

const SERVICE = join(import.meta.dirname, "../peers/answering-service.ts");
const OURS = "our client";
const BARE = "node:http2 alone";
const PROVIDER = "our APNs provider";
const FCM = "our FCM provider";
const FIREBASE = "firebase-admin";

function contender(
  name: string,
  kind: Contender["kind"],
  { module, ...input }: { readonly module: string; readonly speaker?: string },
): Contender {
  return { name, kind, module: join(import.meta.dirname, `../contenders/${module}.ts`), input };
}

/** Pushes to iPhones against a service that only counts. */
export const d1: BenchCase = {
  name: "D1",
  what: "pushes to APNs over HTTP/2 and TLS, one core",
  figure: "perSecond",
  unit: "pushes/s",
  contenders: [
    contender(OURS, "ours", { module: "http2-client", speaker: "own" }),
    contender(PROVIDER, "ours", { module: "apns-provider", speaker: "own" }),
    contender("our client over node:http2", "way back", {
      module: "http2-client",
      speaker: "node",
    }),
    contender(BARE, "ceiling", { module: "bare-node-http2" }),
    contender("undici", "peer", { module: "undici-http2" }),
    contender("@parse/node-apn", "peer", { module: "node-apn" }),
    contender("apns2", "peer", { module: "apns2" }),
  ],
  start: (scope) => startPeer(scope, SERVICE),
  bars: [{ what: "our client, of node:http2 alone", of: OURS, to: BARE, atLeast: 5 }],
};

/** Pushes to Androids against a service that only counts. */
export const fcm: BenchCase = {
  name: "FCM",
  what: "pushes to FCM over HTTP/2 and TLS, one core",
  figure: "cpuUs",
  unit: "µs of processor for a push",
  contenders: [
    contender(FCM, "ours", { module: "fcm-provider" }),
    contender(FIREBASE, "peer", { module: "firebase-admin" }),
  ],
  start: (scope) => {
    const body = JSON.stringify({ name: "projects/bench/messages/0:1" });
    return startPeer(scope, SERVICE, { args: [`--body=${body}`] });
  },
  bars: [{ what: "processor time, of firebase-admin's", of: FCM, to: FIREBASE, atMost: 0.5 }],
};
