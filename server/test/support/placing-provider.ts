import type { Outcome, Place, PlaceRequest } from "#providers/provider.ts";
import { ScriptedProvider } from "./scripted-provider.ts";

const NO_PLACE: Outcome = {
  kind: "retry",
  reason: { code: "unreachable", detail: "full" },
  afterMs: null,
  counted: false,
  isNoSign: true,
};

/** A scripted provider with its own admission, which a test controls. */
export class PlacingProvider extends ScriptedProvider {
  readonly asked: string[] = [];
  taken = 0;
  readonly #scripts = new Map<string, (request: PlaceRequest) => Promise<unknown>>();

  /** Scripts the admission of an endpoint. A script that resolves with null refuses it. */
  scriptPlace(endpoint: string, script: (request: PlaceRequest) => Promise<unknown>): void {
    this.#scripts.set(endpoint, script);
  }

  async enter(request: PlaceRequest): Promise<Place> {
    const endpoint = request.address.provider === "webpush" ? request.address.endpoint : "";
    this.asked.push(endpoint);
    const given = await this.#scripts.get(endpoint)?.(request);
    if (given === null) return { kind: "none", outcome: NO_PLACE };
    this.taken += 1;
    return { kind: "taken", leave: () => (this.taken -= 1) };
  }
}
