import { useSyncExternalStore } from "react";

/** The densities of the feed's rows. */
export const DENSITIES = ["compact", "comfortable"] as const;
/** A density of the feed's rows. */
export type Density = (typeof DENSITIES)[number];

/** The density setting of this browser. `auto` is compact on a desktop and comfortable on a phone. */
export type DensityChoice = Density | "auto";

const STORAGE_KEY = "tocsin.density";
/** Minimum width of the layout with the navigation next to the page. */
const DESKTOP_QUERY = "(min-width: 62em)";
/** Event for this tab. The `storage` event reaches only other tabs. */
const CHANGE_EVENT = "tocsin-density";

/** Returns the density setting and a function that changes it. */
export function useDensityChoice(): readonly [DensityChoice, (choice: DensityChoice) => void] {
  return [useSyncExternalStore(subscribe, readChoice), storeChoice];
}

/** Returns the density in effect. */
export function useDensity(): Density {
  return useSyncExternalStore(subscribe, getCurrentDensity);
}

function getCurrentDensity(): Density {
  const choice = readChoice();
  if (choice !== "auto") return choice;
  return matchMedia(DESKTOP_QUERY).matches ? "compact" : "comfortable";
}

function readChoice(): DensityChoice {
  const storedChoice = localStorage.getItem(STORAGE_KEY);
  return DENSITIES.find((candidate) => candidate === storedChoice) ?? "auto";
}

function storeChoice(choice: DensityChoice): void {
  if (choice === "auto") localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, choice);
  dispatchEvent(new Event(CHANGE_EVENT));
}

function subscribe(onChange: () => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  addEventListener(CHANGE_EVENT, onChange, { signal });
  addEventListener("storage", onChange, { signal });
  matchMedia(DESKTOP_QUERY).addEventListener("change", onChange, { signal });
  return () => controller.abort();
}
