import type { Address, Message, Outcome, Provider } from "#providers/provider.ts";

/** A scripted provider's behaviour for one attempt. */
export type Script = (message: Message, signal: AbortSignal) => Promise<Outcome>;

export const ACCEPTED: Outcome = { kind: "accepted", receipt: null };

/** A Web Push provider without a network: a script per endpoint, and a list of what was asked. */
export class ScriptedProvider implements Provider {
  readonly name = "webpush";
  probesFirst = false;
  readonly attempts: { readonly endpoint: string; readonly notificationId: string }[] = [];
  readonly #scripts = new Map<string, Script>();

  /** Plans what every attempt on an endpoint comes to; without a plan it is accepted. */
  script(endpoint: string, script: Script): void {
    this.#scripts.set(endpoint, script);
  }

  serviceOf(address: Address): string {
    return address.provider === "webpush" ? serviceOf(address.endpoint) : "";
  }

  async send(message: Message, address: Address, signal: AbortSignal): Promise<Outcome> {
    if (address.provider !== "webpush") throw new Error("Only Web Push addresses come here.");
    const { endpoint } = address;
    this.attempts.push({ endpoint, notificationId: message.notificationId });
    return (await this.#scripts.get(endpoint)?.(message, signal)) ?? ACCEPTED;
  }

  async close(): Promise<void> {}
}

/** Endpoints of tests are words: `good/1` and `good/2` stand behind one service, `good`. */
function serviceOf(endpoint: string): string {
  return endpoint.split("/")[0] ?? "";
}

/** A promise that the test resolves, given up when the signal fires. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
