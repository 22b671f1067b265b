import { lazyWithTexts } from "../language/lazy-with-texts.ts";

/** The incident of a notification, loaded when the first one opens. */
export const LazyIncidentCard = lazyWithTexts(
  async () => (await import("./incident-card.tsx")).IncidentCard,
);
