import { lazyWithTexts } from "../language/lazy-with-texts.ts";

/** The badge of an incident's state. A feed without incidents loads neither the badge nor its texts. */
export const LazyIncidentBadge = lazyWithTexts(
  async () => (await import("./incident-badge.tsx")).IncidentBadge,
);
