import type { Dialect } from "@tocsin/sdk";

/** The APIs of other services for whose programs the console creates keys. */
export const OFFERED_DIALECTS = [
  "ntfy",
  "gotify",
  "pushover",
] as const satisfies readonly Dialect[];

/** The names of the services, which are the same in every language. */
export const SERVICE_NAMES: Readonly<Record<Dialect, string>> = {
  ntfy: "ntfy",
  gotify: "Gotify",
  pushover: "Pushover",
};
