import { lazy } from "react";
import { loadPageTexts } from "../language/language.ts";

/** The incident of a notification, loaded together with its texts when the first one opens. */
export const LazyIncidentCard = lazy(async () => {
  const [{ IncidentCard }] = await Promise.all([import("./incident-card.tsx"), loadPageTexts()]);
  return { default: IncidentCard };
});
