import type { MessageActing } from "#providers/provider.ts";
import type { Cause } from "@tocsin/sdk";
import type { Acting } from "../delivery.ts";

/** Returns the incident or the prompt of a message, with the alert of its cause; `quiet` for a quiet push. */
export function toMessageActing({ isQuiet, ...acting }: Acting): MessageActing {
  return { ...acting, alert: isQuiet ? "quiet" : ALERTS[acting.cause] };
}

const ALERTS: Readonly<Record<Cause, MessageActing["alert"]>> = {
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
