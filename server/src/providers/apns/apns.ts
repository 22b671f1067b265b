import type { KeyObject } from "node:crypto";
import type { Address, ApnsAddress, Message, Outcome, Provider } from "../provider.ts";
import { withDeadline } from "../deadline.ts";
import type { ApnsJudgement } from "./answer.ts";
import { Gateway } from "./gateway.ts";
import type { Push } from "./gateway.ts";
import { doubt, rejected } from "../outcomes.ts";
import { oncePerMessage } from "../fit.ts";
import { buildPayload } from "./payload.ts";
import { ProviderToken } from "./provider-token.ts";
import { openClient, serviceNameOf, urlOf } from "./environment.ts";
import type { ApnsEnvironment, EnvironmentSettings } from "./environment.ts";

export interface ApnsSettings extends EnvironmentSettings {
  /** A P-256 key. */
  readonly key: KeyObject;
  readonly keyId: string;
  readonly teamId: string;
  /** The bundle id of the app. */
  readonly topic: string;
  /** How long one attempt may take in all, including resends; 10 seconds by default. */
  readonly requestTimeoutMs?: number;
}

/** Returns the provider for Apple's push service. */
export function createApnsProvider(settings: ApnsSettings): Provider {
  return new ApnsProvider(settings);
}

const REQUEST_TIMEOUT_MS = 10_000;

class ApnsProvider implements Provider {
  readonly name = "apns";
  readonly #requestTimeoutMs: number;
  readonly #buildPayload = oncePerMessage(buildPayload);
  readonly #gateways: Readonly<Record<ApnsEnvironment, Gateway>>;

  constructor(settings: ApnsSettings) {
    const { key, keyId, teamId, topic, now, elapsed } = settings;
    // Both environments share one token, because Apple limits token renewals per team.
    const providerToken = new ProviderToken({ key, keyId, teamId, now, elapsed });
    const open = (environment: ApnsEnvironment): Gateway => {
      const { host } = urlOf(settings, environment);
      const client = openClient(settings, environment);
      return new Gateway({ host, client, providerToken, topic, now, elapsed });
    };
    this.#requestTimeoutMs = settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#gateways = { production: open("production"), sandbox: open("sandbox") };
  }

  serviceOf(address: Address): string {
    if (address.provider !== "apns") throw new TypeError(`Not for ${address.provider}.`);
    return serviceNameOf(address.environment);
  }

  async send(message: Message, address: Address, callerSignal: AbortSignal): Promise<Outcome> {
    if (address.provider !== "apns") throw new TypeError(`Not for ${address.provider}.`);
    const body = this.#buildPayload(message);
    if (body === null) return rejected({ code: "payload_too_large", detail: null });
    await message.turn?.();
    const push = { message, body, deviceToken: address.token, callerSignal };
    const bounds = { signal: callerSignal, limitMs: this.#requestTimeoutMs };
    return withDeadline(bounds, (signal) => this.#push({ ...push, signal }, address));
  }

  async #push(push: Push, address: ApnsAddress): Promise<Outcome> {
    const { outcome, remedy } = await this.#gateways[address.environment].send(push);
    if (address.isConfirmed === true) return outcome;
    if (outcome.kind === "accepted") return { ...outcome, learned: confirmed(address) };
    if (remedy !== "other_environment") return outcome;
    const environment = otherEnvironment(address.environment);
    const second = await this.#gateways[environment].send(push);
    if (second.outcome.kind !== "accepted") return combineOutcomes(outcome, second);
    return { ...second.outcome, learned: confirmed({ ...address, environment }) };
  }

  async close(): Promise<void> {
    const { production, sandbox } = this.#gateways;
    await Promise.all([production.close(), sandbox.close()]);
  }
}

/** Combines the results of both environments for a device that its own one does not know. Concerns only this device. */
function combineOutcomes(unknownDevice: Outcome, { outcome, token }: ApnsJudgement): Outcome {
  if (outcome.kind === "retry") return { ...outcome, isForAll: false, isNoSign: true };
  if (outcome.kind !== "refused") return outcome;
  // The key may be restricted to one environment. A wrong topic must not remove a device.
  return token === "refused" ? unknownDevice : doubt(outcome.reason);
}

function confirmed(address: ApnsAddress): ApnsAddress {
  return { ...address, isConfirmed: true };
}

function otherEnvironment(environment: ApnsEnvironment): ApnsEnvironment {
  return environment === "production" ? "sandbox" : "production";
}
