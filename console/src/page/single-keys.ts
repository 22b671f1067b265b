const STORAGE_KEY = "tocsin.keys";

/** Returns whether single keys, without Ctrl or ⌘, act in this browser, which they do until they are switched off. */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== "off";
}

/** Switches single keys on or off in this browser (WCAG 2.2, 2.1.4: speech input types them by accident). */
export function switchSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, "off");
}
