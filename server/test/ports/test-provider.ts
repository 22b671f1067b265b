import { test } from "node:test";
import type { ProviderName } from "#providers/provider.ts";
import { PROVIDER_CONTRACT } from "./provider.contract.ts";
import { PROVIDER_STARTS } from "./start-providers.ts";

/** Adds the contract tests of the `Provider` port for one provider. */
export function testProvider(name: ProviderName): void {
  for (const { name: title, check } of PROVIDER_CONTRACT) {
    test(`${name}: ${title}`, async (t) => check(t, PROVIDER_STARTS[name]));
  }
}
