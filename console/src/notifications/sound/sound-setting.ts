const STORAGE_KEY = "tocsin.sounds";

/** Returns whether this browser plays the sounds of notifications. On by default. */
export function areSoundsOn(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== "off";
}

/** Turns the sounds of notifications on or off in this browser, for all its pages. */
export function setSoundsOn(isOn: boolean): void {
  if (isOn) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, "off");
}
