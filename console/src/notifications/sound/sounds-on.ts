const STORAGE_KEY = "tocsin.sounds";

/** Returns whether this browser plays the sounds of notifications, which it does until they are switched off. */
export function isOn(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== "off";
}

/** Switches the sounds of notifications on or off in this browser, for all its pages. */
export function switchSounds(on: boolean): void {
  if (on) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, "off");
}
