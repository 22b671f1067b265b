import { availableParallelism } from "node:os";
import type { BenchCase } from "../case.ts";
import { startPeer } from "../start-peer.ts";

const ALL = "our encryption, all cores";
const ONE = "our encryption, one core";
const OPENSSL = "OpenSSL through Node, one core";
const PACKAGE = "web-push, one core";
const PROVIDER = "our Web Push provider";
const POSTED = "web-push with kept connections";
const CORE_COUNT = availableParallelism();

/** Measures Web Push messages that are encrypted and authorised, ready to be posted. */
export const webPushEncryption: BenchCase = {
  name: "D2",
  what: "Web Push messages encrypted and authorised",
  figure: "perSecond",
  unit: "messages/s",
  contenders: [
    { name: ALL, kind: "ours", module: "encrypt", input: { usesThreads: true }, cores: "all" },
    { name: ONE, kind: "ours", module: "encrypt", input: { usesThreads: false } },
    { name: OPENSSL, kind: "ceiling", module: "openssl" },
    { name: PACKAGE, kind: "peer", module: "web-push-package" },
  ],
  start: async () => ({}),
  bars: [
    { what: "one core, of the web-push package", contender: ONE, baseline: PACKAGE, atLeast: 3 },
    { what: "one core, of OpenSSL", contender: ONE, baseline: OPENSSL, atLeast: 0.5 },
    {
      what: `${CORE_COUNT} cores, of one`,
      contender: ALL,
      baseline: ONE,
      atLeast: 0.8 * CORE_COUNT,
    },
  ],
};

/** Measures Web Push messages that are encrypted, posted and answered. */
export const webPushPosts: BenchCase = {
  name: "D2-POST",
  what: "Web Push messages encrypted, posted over TLS and answered, one core",
  figure: "perSecond",
  unit: "messages/s",
  contenders: [
    { name: PROVIDER, kind: "ours", module: "webpush-provider" },
    { name: POSTED, kind: "peer", module: "web-push-post" },
  ],
  start: (scope) => startPeer(scope, "https-sink"),
  bars: [
    { what: "posted, of the web-push package", contender: PROVIDER, baseline: POSTED, atLeast: 3 },
  ],
};
