import { lazyWithTexts } from "../language/lazy-with-texts.ts";

/** The incident of a notification. It is loaded when it is first shown. */
export const LazyIncidentCard = lazyWithTexts(
  async () => (await import("./incident-card.tsx")).IncidentCard,
);
