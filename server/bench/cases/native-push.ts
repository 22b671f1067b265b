import type { BenchCase } from "../case.ts";
import { startProcess } from "../start-process.ts";

const OUR_CLIENT = "our client";
const BARE = "node:http2 alone";
const PROVIDER = "our APNs provider";
const FCM = "our FCM provider";
const FIREBASE = "firebase-admin";

/** Measures pushes to iPhones, against a service that accepts every push. */
export const apnsPushes: BenchCase = {
  name: "D1",
  title: "pushes to APNs over HTTP/2 and TLS, one core",
  figure: "perSecond",
  unit: "pushes/s",
  contenders: [
    { name: OUR_CLIENT, kind: "ours", module: "http2-client" },
    { name: PROVIDER, kind: "ours", module: "apns-provider" },
    { name: BARE, kind: "reference", module: "bare-node-http2" },
    { name: "undici", kind: "peer", module: "undici-http2" },
    { name: "@parse/node-apn", kind: "peer", module: "node-apn" },
    { name: "apns2", kind: "peer", module: "apns2" },
  ],
  start: (scope) => startProcess(scope, "answering-service"),
  bars: [
    {
      label: "our client, compared with node:http2 alone",
      contender: OUR_CLIENT,
      baseline: BARE,
      atLeast: 5,
    },
  ],
};

/** Measures pushes to Android phones, against a service that accepts every push. */
export const fcmPushes: BenchCase = {
  name: "FCM",
  title: "pushes to FCM over HTTP/2 and TLS, one core",
  figure: "cpuUs",
  unit: "µs of processor time per push",
  contenders: [
    { name: FCM, kind: "ours", module: "fcm-provider" },
    { name: FIREBASE, kind: "peer", module: "firebase-admin" },
  ],
  start: (scope) => {
    const body = JSON.stringify({ name: "projects/bench/messages/0:1" });
    return startProcess(scope, "answering-service", { args: [`--body=${body}`] });
  },
  bars: [
    {
      label: "processor time, compared with firebase-admin",
      contender: FCM,
      baseline: FIREBASE,
      atMost: 0.5,
    },
  ],
};
