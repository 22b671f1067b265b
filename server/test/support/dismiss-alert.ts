import assert from "node:assert/strict";
import type { Browser } from "puppeteer-core";
import { evaluateInFirefox } from "./evaluate-in-firefox.ts";

/** Presses the close button of the Firefox notification with this title, as a person would. */
export async function dismissAlert(browser: Browser, title: string): Promise<void> {
  const isDismissed = await evaluateInFirefox(browser, createDismissExpression(title));
  assert.equal(isDismissed, true, `Firefox shows no notification "${title}".`);
}

/** Returns an expression for the browser's own scope. It yields false if the notification is not shown in time. */
function createDismissExpression(title: string): string {
  return `(async () => {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      for (const { document } of Services.wm.getEnumerator("alert:alert")) {
        if (document.getElementById("alertTitleLabel")?.getAttribute("value") !== ${JSON.stringify(title)}) continue;
        document.querySelector(".close-icon").click();
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  })()`;
}
