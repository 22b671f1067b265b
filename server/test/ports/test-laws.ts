import { test } from "node:test";
import type { ProviderName } from "#providers/provider.ts";
import { LAWS } from "./provider.contract.ts";
import { STARTS } from "./start-providers.ts";

/** Adds one test for each law of the `Provider` port. */
export function testLaws(name: ProviderName): void {
  for (const { name: law, check } of LAWS) {
    test(`${name}: ${law}`, async (t) => check(t, STARTS[name]));
  }
}
