import { useSyncExternalStore } from "react";

/** How closely the rows of the feed stand. */
export const DENSITIES = ["compact", "comfortable"] as const;
export type Density = (typeof DENSITIES)[number];

/** What a person chose for this browser; automatic ones are compact on a desktop and comfortable on a phone. */
export type DensityChoice = Density | "auto";

const KEY = "tocsin.density";
/** From where on the navigation stands beside the page. */
const DESKTOP = "(min-width: 62em)";
/** `storage` tells other tabs alone. */
const CHANGED = "tocsin-density";

/** Returns what was chosen, and what chooses. */
export function useDensityChoice(): readonly [DensityChoice, (choice: DensityChoice) => void] {
  return [useSyncExternalStore(subscribe, densityChoice), choose];
}

/** Returns how closely the rows stand now. */
export function useDensity(): Density {
  return useSyncExternalStore(subscribe, density);
}

function density(): Density {
  const choice = densityChoice();
  if (choice !== "auto") return choice;
  return matchMedia(DESKTOP).matches ? "compact" : "comfortable";
}

function densityChoice(): DensityChoice {
  const kept = localStorage.getItem(KEY);
  return DENSITIES.find((one) => one === kept) ?? "auto";
}

function choose(choice: DensityChoice): void {
  if (choice === "auto") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  dispatchEvent(new Event(CHANGED));
}

function subscribe(onChange: () => void): () => void {
  const view = new AbortController();
  const { signal } = view;
  addEventListener(CHANGED, onChange, { signal });
  addEventListener("storage", onChange, { signal });
  matchMedia(DESKTOP).addEventListener("change", onChange, { signal });
  return () => view.abort();
}
