import type { Outcome, PushProviderName, ReasonCode } from "#providers/provider.ts";

/** The latest outcomes of a provider's services. Times are in milliseconds since the epoch. */
export interface ServiceRecord {
  readonly lastAcceptedAt: number | null;
  readonly lastFailure: ServiceFailure | null;
}

/** The latest failure of a push service to accept a message. */
export interface ServiceFailure {
  readonly service: string;
  readonly code: ReasonCode;
  /** Contains no token, endpoint or text of the push service. */
  readonly detail: string | null;
  readonly at: number;
}

const EMPTY_RECORD: ServiceRecord = { lastAcceptedAt: null, lastFailure: null };

/** The latest outcomes of each provider since this process started. */
export class ServiceRecords {
  readonly #byProvider = new Map<string, ServiceRecord>();

  /** Records the outcome of an attempt. A device that is gone is not a failure of the service. */
  recordOutcome(
    service: string,
    { outcome, at }: { readonly outcome: Outcome | null; readonly at: number },
  ): void {
    if (outcome === null || outcome.kind === "gone") return;
    const provider = parseProvider(service);
    const previous = this.#byProvider.get(provider) ?? EMPTY_RECORD;
    if (outcome.kind === "accepted") {
      this.#byProvider.set(provider, { ...previous, lastAcceptedAt: at });
      return;
    }
    // An inconclusive outcome says nothing about the service.
    if (outcome.kind === "retry" && outcome.isInconclusive === true) return;
    const { code, detail } = outcome.reason;
    this.#byProvider.set(provider, { ...previous, lastFailure: { service, code, detail, at } });
  }

  /** Returns the record of a provider; empty before the first outcome. */
  getRecord(provider: PushProviderName): ServiceRecord {
    return this.#byProvider.get(provider) ?? EMPTY_RECORD;
  }
}

/** Returns the provider, which is the first word of a service name. */
export function parseProvider(service: string): PushProviderName {
  // `Provider.getServiceName` fixes this form.
  return (service.split(" ")[0] ?? "") as PushProviderName;
}

/** Returns the host of a Web Push service; null if the name has none. The names of other providers have no host. */
export function parseServiceHost(service: string): string | null {
  return service.split(" ")[1] ?? null;
}

/** Returns whether an outcome is a proper response: neither a failure nor a refusal of our credentials. */
export function isProperResponse(outcome: Outcome | null): boolean {
  return outcome !== null && outcome.kind !== "retry" && outcome.kind !== "refused";
}
