import type { MessageInteraction } from "#providers/provider.ts";
import type { Cause } from "@tocsin/sdk";
import type { Interaction } from "../delivery.ts";

/** Returns the incident or the prompt of a message, with the alert of its cause; `quiet` for a quiet push. */
export function toMessageInteraction({ isQuiet, ...interaction }: Interaction): MessageInteraction {
  return { ...interaction, alert: isQuiet ? "quiet" : ALERTS[interaction.cause] };
}

const ALERTS: Readonly<Record<Cause, MessageInteraction["alert"]>> = {
  trigger: "again",
  ring: "again",
  step: "again",
  reminder: "again",
  update: "once",
  digest: "usual",
  prompt: "usual",
  acknowledgement: "quiet",
  resolution: "quiet",
  answer: "quiet",
};
