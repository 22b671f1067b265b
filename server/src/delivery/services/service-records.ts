import type { Outcome, ProviderName, ReasonCode } from "#providers/provider.ts";

/** What was last heard of a provider's services; moments in milliseconds since the epoch. */
export interface ServiceRecord {
  readonly lastAcceptedAt: number | null;
  readonly lastFailure: ServiceFailure | null;
}

/** What a push service last answered or did in place of taking a message. */
export interface ServiceFailure {
  readonly service: string;
  readonly code: ReasonCode;
  /** Holds no token, endpoint or text of the push service. */
  readonly detail: string | null;
  readonly at: number;
}

const NOTHING: ServiceRecord = { lastAcceptedAt: null, lastFailure: null };

/** Remembers, for as long as this process runs, what was heard last; it costs nothing to keep. */
export class ServiceRecords {
  readonly #byProvider = new Map<string, ServiceRecord>();

  /** Notes what came of one attempt; what ends one device alone is no failure of the service. */
  note(
    service: string,
    { outcome, at }: { readonly outcome: Outcome | null; readonly at: number },
  ): void {
    if (outcome === null || outcome.kind === "gone") return;
    const provider = providerOf(service);
    const before = this.#byProvider.get(provider) ?? NOTHING;
    if (outcome.kind === "accepted") {
      this.#byProvider.set(provider, { ...before, lastAcceptedAt: at });
      return;
    }
    // Not asked, for want of room or time of ours.
    if (outcome.kind === "retry" && outcome.isNoSign === true) return;
    const { code, detail } = outcome.reason;
    this.#byProvider.set(provider, { ...before, lastFailure: { service, code, detail, at } });
  }

  of(provider: ProviderName): ServiceRecord {
    return this.#byProvider.get(provider) ?? NOTHING;
  }
}

/** Returns the provider of a service, whose name begins with it. */
export function providerOf(service: string): string {
  return service.split(" ")[0] ?? "";
}
