import type { Capability } from "./capability.ts";

/** What a person is told about notifications in this browser, and how to mend what is in the way. */
export const EXPLANATIONS: Readonly<Record<Capability, readonly string[]>> = {
  insecure: [
    "Browsers allow notifications only on pages loaded over https, or from localhost.",
    "Open this server by an https address. Its administrator sets it as TOCSIN_BASE_URL.",
  ],
  "needs-home-screen": [
    "On iPhone and iPad, notifications reach apps on the Home Screen.",
    "Tap the Share button, then “Add to Home Screen”. Open Tocsin from there, sign in, and turn notifications on.",
  ],
  unsupported: [
    "This browser cannot receive notifications in the background.",
    "A current Firefox, Chrome, Edge or Safari can; their private windows often cannot.",
  ],
  denied: [
    "Notifications from this site are blocked in this browser.",
    "Open the site's settings by the icon beside the address, allow notifications, and reload this page. For an app on the Home Screen, allow them in the system's settings.",
  ],
  off: ["Get notifications here, also while this page is closed."],
  "other-key": [
    "This browser is connected with a key that the server no longer has, so nothing can arrive.",
  ],
  on: ["Notifications arrive here, also while this page is closed; signing out ends them."],
};
