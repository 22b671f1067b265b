import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PolicySnapshot } from "#incidents/policies/policy.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import type { Scope } from "../support/scope.ts";

/** Environment variable with the path of the policy, read by `preset-policy.ts`. */
export const POLICY_VARIABLE = "TOCSIN_TEST_POLICY";

/** The time between two steps. */
const STEP_S = 2;

/** The policy of a site, which exists once the site has groups of devices. */
export interface ClimbPolicy {
  readonly nodeFlags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Writes a policy with a step for each group. */
  write(groupIds: readonly string[]): Promise<void>;
}

/** Returns the flags and environment of servers that use one policy for all emergencies. */
export async function createClimbPolicy(scope: Scope): Promise<ClimbPolicy> {
  const path = join(await createTemporaryFolder(scope), "policy.json");
  const preload = fileURLToPath(new URL("./preset-policy.ts", import.meta.url));
  return {
    nodeFlags: ["--import", preload],
    environment: { [POLICY_VARIABLE]: path },
    async write(groupIds) {
      const policy: PolicySnapshot = {
        policyId: "climb",
        name: "Climb",
        steps: groupIds.map((groupId, index) => ({
          afterSeconds: index * STEP_S,
          targets: [{ kind: "group", groupId }],
        })),
        remindAfterSeconds: null,
      };
      await writeFile(path, JSON.stringify(policy));
    },
  };
}
