import { availableParallelism } from "node:os";
import type { BenchCase } from "../case.ts";
import { startPeer } from "../start-peer.ts";

const ALL = "our encryption, all cores";
const ONE = "our encryption, one core";
const OPENSSL = "OpenSSL through Node, one core";
const PACKAGE = "web-push, one core";
const PROVIDER = "our Web Push provider";
const POSTED = "web-push with kept connections";
const CORES = availableParallelism();

/** Web Push messages encrypted and authorised, ready to be posted. */
export const d2: BenchCase = {
  name: "D2",
  what: "Web Push messages encrypted and authorised",
  figure: "perSecond",
  unit: "messages/s",
  contenders: [
    { name: ALL, kind: "ours", module: "encrypt", input: { isInThreads: true }, cores: "all" },
    { name: ONE, kind: "ours", module: "encrypt", input: { isInThreads: false } },
    { name: OPENSSL, kind: "ceiling", module: "openssl" },
    { name: PACKAGE, kind: "peer", module: "web-push-package" },
  ],
  start: async () => ({}),
  bars: [
    { what: "one core, of the web-push package", of: ONE, to: PACKAGE, atLeast: 3 },
    { what: "one core, of OpenSSL", of: ONE, to: OPENSSL, atLeast: 0.5 },
    { what: `${CORES} cores, of one`, of: ALL, to: ONE, atLeast: 0.8 * CORES },
  ],
};

/** Web Push messages encrypted, posted and answered. */
export const d2Posted: BenchCase = {
  name: "D2-POST",
  what: "Web Push messages encrypted, posted over TLS and answered, one core",
  figure: "perSecond",
  unit: "messages/s",
  contenders: [
    { name: PROVIDER, kind: "ours", module: "webpush-provider" },
    { name: POSTED, kind: "peer", module: "web-push-post" },
  ],
  start: (scope) => startPeer(scope, "https-sink"),
  bars: [{ what: "posted, of the web-push package", of: PROVIDER, to: POSTED, atLeast: 3 }],
};
