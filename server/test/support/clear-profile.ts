import assert from "node:assert/strict";
import type { Browser } from "puppeteer-core";
import { evaluateInFirefox } from "./evaluate-in-firefox.ts";

/** Closes every page of a Firefox, then deletes all data that it stored and the notifications that it shows. */
export async function clearFirefoxProfile(browser: Browser): Promise<void> {
  const pages = await browser.pages();
  // Without a page, the browser would end.
  await browser.newPage();
  for (const page of pages) await page.close();
  assert.equal(await evaluateInFirefox(browser, CLEAR_ALL), 0, "Firefox kept some data.");
}

/**
 * Resolves with flags of the data that Firefox failed to delete. Workers end first: one that hears of the end of its
 * subscription could subscribe again.
 */
const CLEAR_ALL = `(async () => {
  const { ServiceWorkerCleanUp } =
    ChromeUtils.importESModule("resource://gre/modules/ServiceWorkerCleanUp.sys.mjs");
  await ServiceWorkerCleanUp.removeAll();
  for (const alert of Services.wm.getEnumerator("alert:alert")) alert.close();
  return new Promise((resolve) => {
    Services.clearData.deleteData(Ci.nsIClearDataService.CLEAR_ALL, { onDataDeleted: resolve });
  });
})()`;
