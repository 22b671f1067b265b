import { test } from "node:test";
import { HTTP2_SPEAKERS } from "#providers/http2/http2.ts";
import type { ProviderName } from "#providers/provider.ts";
import { LAWS } from "./provider.contract.ts";
import { STARTS } from "./start-providers.ts";

/** Adds one test for each law of the `Provider` port. */
export function testLaws(name: ProviderName): void {
  for (const { name: law, check } of LAWS) {
    test(`${name}: ${law}`, async (t) => check(t, STARTS[name]));
  }
}

/** Adds one for each law and for each of those who speak HTTP/2. */
export function testLawsOverHttp2(name: ProviderName): void {
  for (const http2Client of HTTP2_SPEAKERS) {
    for (const { name: law, check } of LAWS) {
      test(`${name} (${http2Client}): ${law}`, async (t) => {
        await check(t, async (scope, options) => STARTS[name](scope, { ...options, http2Client }));
      });
    }
  }
}
