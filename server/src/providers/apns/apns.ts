import type { KeyObject } from "node:crypto";
import type { Address, ApnsAddress, Message, Outcome, Provider } from "../provider.ts";
import { joinDeadline } from "../deadline.ts";
import type { ApnsInterpretation } from "./interpret-response.ts";
import { Gateway, type OutgoingPush } from "./gateway.ts";
import { createDoubtfulRetry, createRejection } from "../outcomes.ts";
import { cachePerMessage } from "../fit.ts";
import { buildPayload } from "./payload.ts";
import { ProviderToken } from "./provider-token.ts";
import {
  createEnvironmentClient,
  getEnvironmentServiceName,
  getEnvironmentUrl,
  type ApnsEnvironment,
  type ApnsEnvironmentDeps,
} from "./environment.ts";

/** The credential of the APNs provider, and its dependencies. */
export interface ApnsDeps extends ApnsEnvironmentDeps {
  /** A P-256 key. */
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  /** The bundle id of the app. */
  readonly topic: string;
  /** The time limit of one attempt, including resends and the other environment; 10 seconds by default. */
  readonly requestTimeoutMs?: number;
}

/** Returns the provider for Apple's push service. */
export function createApnsProvider(deps: ApnsDeps): Provider {
  return new ApnsProvider(deps);
}

const REQUEST_TIMEOUT_MS = 10_000;

class ApnsProvider implements Provider {
  readonly name = "apns";
  readonly #requestTimeoutMs: number;
  readonly #buildPayload = cachePerMessage(buildPayload);
  readonly #gateways: Readonly<Record<ApnsEnvironment, Gateway>>;

  constructor(deps: ApnsDeps) {
    const { key, keyId, teamId, topic, now, elapsed } = deps;
    // Both environments share one token, because Apple limits token renewals per team.
    const providerToken = new ProviderToken({ key, keyId, teamId, now, elapsed });
    const openGateway = (environment: ApnsEnvironment): Gateway => {
      const { host } = getEnvironmentUrl(deps, environment);
      const client = createEnvironmentClient(deps, environment);
      return new Gateway({ host, client, providerToken, topic, now, elapsed });
    };
    this.#requestTimeoutMs = deps.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#gateways = { production: openGateway("production"), sandbox: openGateway("sandbox") };
  }

  getServiceName(address: Address): string {
    if (address.provider !== "apns")
      throw new TypeError(`This provider does not send to ${address.provider}.`);
    return getEnvironmentServiceName(address.environment);
  }

  async send(message: Message, address: Address, callerSignal: AbortSignal): Promise<Outcome> {
    if (address.provider !== "apns")
      throw new TypeError(`This provider does not send to ${address.provider}.`);
    const body = this.#buildPayload(message);
    if (body === null) return createRejection({ code: "payload_too_large", detail: null });
    if (message.waitForPacer !== undefined) await message.waitForPacer();
    const deadline = joinDeadline({ signal: callerSignal, timeoutMs: this.#requestTimeoutMs });
    const { signal } = deadline;
    const push = { message, body, deviceToken: address.token, callerSignal, signal };
    try {
      const interpretation = await this.#gateways[address.environment].send(push);
      if (address.isConfirmed === true) return interpretation.outcome;
      return await this.#confirm(push, address, interpretation);
    } finally {
      deadline.leave();
    }
  }

  /**
   * Confirms the environment of an address if Apple accepted the push there. Sends the push to the other environment if
   * the first one does not know the device.
   */
  async #confirm(
    push: OutgoingPush,
    address: ApnsAddress,
    { outcome, remedy }: ApnsInterpretation,
  ): Promise<Outcome> {
    if (outcome.kind === "accepted") return { ...outcome, updatedAddress: confirmAddress(address) };
    if (remedy !== "other_environment") return outcome;
    const environment = getOtherEnvironment(address.environment);
    const otherResult = await this.#gateways[environment].send(push);
    if (otherResult.outcome.kind !== "accepted") return combineOutcomes(outcome, otherResult);
    return { ...otherResult.outcome, updatedAddress: confirmAddress({ ...address, environment }) };
  }

  async close(): Promise<void> {
    const { production, sandbox } = this.#gateways;
    await Promise.all([production.close(), sandbox.close()]);
  }
}

/**
 * Combines the results of both environments for a device that its own environment does not know. The outcome affects no
 * other device.
 */
function combineOutcomes(
  ownOutcome: Outcome,
  { outcome, tokenState }: ApnsInterpretation,
): Outcome {
  if (outcome.kind === "retry")
    return { ...outcome, affectsAllDevices: false, isInconclusive: true };
  if (outcome.kind !== "refused") return outcome;
  // The key may be restricted to one environment. A wrong topic must not remove a device.
  return tokenState === "refused" ? ownOutcome : createDoubtfulRetry(outcome.reason);
}

function confirmAddress(address: ApnsAddress): ApnsAddress {
  return { ...address, isConfirmed: true };
}

function getOtherEnvironment(environment: ApnsEnvironment): ApnsEnvironment {
  return environment === "production" ? "sandbox" : "production";
}
