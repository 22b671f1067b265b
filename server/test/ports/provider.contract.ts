import { RESPONSE_CONTRACT } from "./provider-responses.ts";
import { CONNECTION_CONTRACT } from "./provider-connections.ts";
import { LIFECYCLE_CONTRACT } from "./provider-lifecycle.ts";
import { MESSAGE_CONTRACT } from "./provider-messages.ts";
import type { ContractTest } from "./provider-under-test.ts";

/** Contract tests of the `Provider` port. */
export const PROVIDER_CONTRACT: readonly ContractTest[] = [
  ...LIFECYCLE_CONTRACT,
  ...MESSAGE_CONTRACT,
  ...RESPONSE_CONTRACT,
  ...CONNECTION_CONTRACT,
];
