import { lazy } from "react";
import { loadPageTexts } from "../language/language.ts";

/** The badge of an incident's state. A feed without incidents loads neither it nor its texts. */
export const LazyIncidentBadge = lazy(async () => {
  const [{ IncidentBadge }] = await Promise.all([import("./incident-badge.tsx"), loadPageTexts()]);
  return { default: IncidentBadge };
});
