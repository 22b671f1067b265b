const STORAGE_KEY = "tocsin.keys";

/** Returns whether single-key shortcuts, without Ctrl or ⌘, are on in this browser. On by default. */
export function areSingleKeyShortcutsOn(): boolean {
  return localStorage.getItem(STORAGE_KEY) !== "off";
}

/**
 * Turns single-key shortcuts on or off in this browser (WCAG 2.2, 2.1.4: speech input can trigger them by accident).
 */
export function setSingleKeyShortcutsOn(isOn: boolean): void {
  if (isOn) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, "off");
}
