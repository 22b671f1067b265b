import { useSyncExternalStore } from "react";

/** Densities of the feed's rows. */
export const DENSITIES = ["compact", "comfortable"] as const;
export type Density = (typeof DENSITIES)[number];

/** Density chosen for this browser; `auto` is compact on a desktop and comfortable on a phone. */
export type DensityChoice = Density | "auto";

const KEY = "tocsin.density";
/** Width from which the navigation is beside the page. */
const DESKTOP = "(min-width: 62em)";
/** Event for this tab: `storage` reaches only the others. */
const CHANGED = "tocsin-density";

/** Returns the chosen density, and a function that changes it. */
export function useDensityChoice(): readonly [DensityChoice, (choice: DensityChoice) => void] {
  return [useSyncExternalStore(subscribe, densityChoice), choose];
}

/** Returns the density in effect. */
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
