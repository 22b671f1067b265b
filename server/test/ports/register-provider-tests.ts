import { test } from "node:test";
import type { PushProviderName } from "#providers/provider.ts";
import { PROVIDER_CONTRACT } from "./provider.contract.ts";
import { PROVIDER_STARTERS } from "./start-providers.ts";

/** Adds the contract tests of the `Provider` port for one provider. */
export function registerProviderTests(name: PushProviderName): void {
  for (const { name: title, run } of PROVIDER_CONTRACT) {
    test(`${name}: ${title}`, async (t) => run(t, PROVIDER_STARTERS[name]));
  }
}
