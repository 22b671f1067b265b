import { PROMPT_STATES } from "@tocsin/sdk";
import { Gauge } from "prom-client";
import { createPrompts, type Prompts, type PromptsDeps } from "#prompts/prompts.ts";
import { countPromptsByState } from "#prompts/store/prompts.ts";
import type { Metrics } from "./metrics.ts";

interface PromptRoomDeps extends PromptsDeps {
  readonly metrics: Pick<Metrics, "registry">;
}

/** Returns the prompts of a server, and adds the metric of their number by state. */
export function createPromptRoom({ metrics, ...deps }: PromptRoomDeps): Prompts {
  const gauge = new Gauge({
    name: "tocsin_prompts",
    help: "Stored prompts, by state.",
    labelNames: ["state"],
    registers: [metrics.registry],
    async collect() {
      const counts = await countPromptsByState(deps.context);
      for (const state of PROMPT_STATES) gauge.set({ state }, counts.get(state) ?? 0);
    },
  });
  return createPrompts(deps);
}
