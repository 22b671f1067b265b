import type { Outcome, AttemptPermit, PermitRequest } from "#providers/provider.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

/** The outcome of a refused permit. */
const REFUSAL: Outcome = {
  kind: "retry",
  reason: { code: "unreachable", detail: "full" },
  afterMs: null,
  isCounted: false,
  isInconclusive: true,
};

/** A scripted provider that admits each request before it is sent, as the test scripts it. */
export class AdmittingProvider extends ScriptedProvider {
  /** Endpoints that requested a permit, in order. */
  readonly requestedEndpoints: string[] = [];
  /** Number of permits that are not yet released. */
  admittedCount = 0;
  readonly #scripts = new Map<string, (request: PermitRequest) => Promise<unknown>>();

  /** Scripts the permit of an endpoint. A script that resolves with null refuses it. */
  scriptAdmission(endpoint: string, script: (request: PermitRequest) => Promise<unknown>): void {
    this.#scripts.set(endpoint, script);
  }

  async acquirePermit(request: PermitRequest): Promise<AttemptPermit> {
    const endpoint = request.address.provider === "webpush" ? request.address.endpoint : "";
    this.requestedEndpoints.push(endpoint);
    const result = await this.#scripts.get(endpoint)?.(request);
    if (result === null) return { kind: "none", outcome: REFUSAL };
    this.admittedCount += 1;
    return { kind: "taken", release: () => (this.admittedCount -= 1) };
  }
}
