import type { Outcome, ProviderName, ReasonCode } from "#providers/provider.ts";

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

const NOTHING: ServiceRecord = { lastAcceptedAt: null, lastFailure: null };

/** The latest outcomes of each provider since this process started. */
export class ServiceRecords {
  readonly #byProvider = new Map<string, ServiceRecord>();

  /** Notes the outcome of an attempt. A device that is gone is not a failure of the service. */
  note(
    service: string,
    { outcome, at }: { readonly outcome: Outcome | null; readonly at: number },
  ): void {
    if (outcome === null || outcome.kind === "gone") return;
    const provider = providerOf(service);
    const previous = this.#byProvider.get(provider) ?? NOTHING;
    if (outcome.kind === "accepted") {
      this.#byProvider.set(provider, { ...previous, lastAcceptedAt: at });
      return;
    }
    // The request was not sent, because this process lacked capacity or time.
    if (outcome.kind === "retry" && outcome.isNoSign === true) return;
    const { code, detail } = outcome.reason;
    this.#byProvider.set(provider, { ...previous, lastFailure: { service, code, detail, at } });
  }

  of(provider: ProviderName): ServiceRecord {
    return this.#byProvider.get(provider) ?? NOTHING;
  }
}

/** Returns the provider of a service, whose name begins with it. */
export function providerOf(service: string): ProviderName {
  // Every service name begins with its provider; see `serviceOf`.
  return (service.split(" ")[0] ?? "") as ProviderName;
}
