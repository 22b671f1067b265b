import type { Address, Message, Outcome, Provider } from "#providers/provider.ts";

/** A scripted provider's behaviour for one attempt. */
export type Script = (message: Message, signal: AbortSignal) => Promise<Outcome>;

/** The outcome of an accepted message. */
export const ACCEPTED: Outcome = { kind: "accepted", receipt: null };

/** A Web Push provider without a network, with a script per endpoint and a log of its attempts. */
export class ScriptedProvider implements Provider {
  readonly name = "webpush";
  shouldProbeFirst = false;
  readonly attempts: { readonly endpoint: string; readonly notificationId: string }[] = [];
  readonly #scripts = new Map<string, Script>();

  /** Sets the script of every attempt at an endpoint. Without a script, attempts are accepted. */
  script(endpoint: string, script: Script): void {
    this.#scripts.set(endpoint, script);
  }

  getServiceName(address: Address): string {
    return address.provider === "webpush" ? getServiceName(address.endpoint) : "";
  }

  async send(message: Message, address: Address, signal: AbortSignal): Promise<Outcome> {
    if (address.provider !== "webpush") throw new Error("Only Web Push addresses are supported.");
    const { endpoint } = address;
    this.attempts.push({ endpoint, notificationId: message.notificationId });
    return (await this.#scripts.get(endpoint)?.(message, signal)) ?? ACCEPTED;
  }

  async close(): Promise<void> {}
}

/** Endpoints in tests are plain words: `good/1` and `good/2` belong to the service `good`. */
function getServiceName(endpoint: string): string {
  return endpoint.split("/")[0] ?? "";
}

/** Resolves when the signal aborts. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
