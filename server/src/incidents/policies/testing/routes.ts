import { findAccount } from "#accounts/store/accounts.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import { IdParams } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { createDeviceCharge } from "#notifications/charge.ts";
import { createNoSuchPolicyError, findManager } from "../manager.ts";
import { toReachResponse } from "../response.ts";
import type { PolicyRouteDeps } from "../routes.ts";
import { PolicyTestSchema } from "../schemas.ts";
import { findPolicy } from "../store/policies.ts";
import { testPolicy, type PolicyTestDeps, type PolicyTestResult } from "./test-policy.ts";

/** The dependencies of the route that tests a policy. */
export interface PolicyTestRouteDeps extends PolicyRouteDeps, PolicyTestDeps {
  /** Shared with the notification API; an account counts as one key. */
  readonly rateLimit: RateLimiter;
}

/** Registers the operation that tests the first step of a policy. */
export function registerPolicyTestRoute(server: Server, deps: PolicyTestRouteDeps): void {
  const { context, authenticate, rateLimit } = deps;
  const schema = {
    operationId: "testEscalationPolicy",
    errorStatuses: [429],
    summary: "Notify the first step of an escalation policy, as a test",
    description:
      "Sends a notification of the priority `high` that calls itself a test. It opens no incident, sends no email and calls nothing back. The live stream and the delivery log report the result for each device.",
    tags: ["Escalation policies"],
    params: IdParams,
    response: { 200: PolicyTestSchema },
  };
  server.post("/api/app/v1/escalation-policies/:id/test", { schema }, async (request) => {
    const { accountId, actor } = await authenticate(request);
    rateLimit.take(accountId, 1);
    const manager = await findManager(context, accountId);
    const policy = await findPolicy(context, { manager, policyId: request.params.id });
    if (policy === null) throw createNoSuchPolicyError();
    const tester = await findAccount(context, accountId);
    const result = await testPolicy(deps, {
      policy,
      testerName: tester?.name ?? "Somebody",
      actor,
      charge: createDeviceCharge((requestCount) => rateLimit.take(accountId, requestCount)),
    });
    return toTestResponse(deps, result, accountId);
  });
}

function toTestResponse(
  { sendsMail }: PolicyTestRouteDeps,
  result: PolicyTestResult,
  readerId: string,
) {
  const { deviceCount, personCount, targets } = result;
  return {
    deviceCount,
    personCount,
    targets: targets.map(({ reach, omission }) => ({
      ...toReachResponse(reach, { sendsMail, readerId }),
      omission,
    })),
    message: describeTest(result),
  };
}

function describeTest({ deviceCount, personCount, targets }: PolicyTestResult): string {
  const count = (omitted: (typeof targets)[number]["omission"]) =>
    targets.filter(({ omission }) => omission === omitted).length;
  const people = personCount === 1 ? "1 person" : `${personCount} people`;
  const devices = deviceCount === 1 ? "1 device" : `${deviceCount} devices`;
  const sentences = [
    deviceCount === 0 ? "The test notifies nobody." : `The test notifies ${people} on ${devices}.`,
    ...(count("missing") === 0 ? [] : [`Targets that no longer exist: ${count("missing")}.`]),
    ...(count("no_device") === 0
      ? []
      : [`Targets without a device that is not paused: ${count("no_device")}.`]),
    ...(count("unsupported") === 0 ? [] : ["A test sends no email and calls nothing back."]),
  ];
  return sentences.join(" ");
}
