import { availableParallelism } from "node:os";
import type { BenchCase } from "../case.ts";
import { startProcess } from "../start-process.ts";

const ALL_CORES = "our encryption, all cores";
const ONE_CORE = "our encryption, one core";
const OPENSSL = "OpenSSL through Node, one core";
const PACKAGE = "web-push, one core";
const PROVIDER = "our Web Push provider";
const PACKAGE_POSTING = "web-push with keep-alive connections";
const CORE_COUNT = availableParallelism();

/** Measures how many Web Push messages per second are encrypted and authorised, ready to be posted. */
export const webPushEncryption: BenchCase = {
  name: "D2",
  title: "Web Push messages encrypted and authorised",
  figure: "perSecond",
  unit: "messages/s",
  contenders: [
    {
      name: ALL_CORES,
      kind: "ours",
      module: "encrypt",
      input: { usesThreads: true },
      cores: "all",
    },
    { name: ONE_CORE, kind: "ours", module: "encrypt", input: { usesThreads: false } },
    { name: OPENSSL, kind: "reference", module: "openssl" },
    { name: PACKAGE, kind: "peer", module: "web-push-package" },
  ],
  start: async () => ({}),
  bars: [
    {
      label: "one core, compared with the web-push package",
      contender: ONE_CORE,
      baseline: PACKAGE,
      atLeast: 3,
    },
    {
      label: "one core, compared with OpenSSL",
      contender: ONE_CORE,
      baseline: OPENSSL,
      atLeast: 0.5,
    },
    {
      label: `${CORE_COUNT} cores, compared with one core`,
      contender: ALL_CORES,
      baseline: ONE_CORE,
      atLeast: 0.8 * CORE_COUNT,
    },
  ],
};

/** Measures how many Web Push messages per second are encrypted, posted and answered. */
export const webPushPosts: BenchCase = {
  name: "D2-POST",
  title: "Web Push messages encrypted, posted over TLS and answered, one core",
  figure: "perSecond",
  unit: "messages/s",
  contenders: [
    { name: PROVIDER, kind: "ours", module: "webpush-provider" },
    { name: PACKAGE_POSTING, kind: "peer", module: "web-push-post" },
  ],
  start: (scope) => startProcess(scope, "https-sink"),
  bars: [
    {
      label: "posted, compared with the web-push package",
      contender: PROVIDER,
      baseline: PACKAGE_POSTING,
      atLeast: 3,
    },
  ],
};
