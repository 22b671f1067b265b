import assert from "node:assert/strict";
import test from "node:test";
import { createClient, decideLinkWay } from "@tocsin/sdk";
import { reportFigure } from "../attacks/bar.ts";
import type { ConsolePage } from "../support/console-page.ts";
import {
  assertNoScriptRan,
  fillFeedWithHostileContent,
  startHostileContentFixture,
} from "../support/hostile-content-fixture.ts";
import { HOSTILE_LINKS } from "../support/hostile-texts.ts";

test("a hostile link is refused by the API, or has a harmless scheme and no user name", async (t) => {
  const { client, fixture } = await startHostileContentFixture(t);
  const { key } = await client.keys.create({ kind: "account" });
  const sender = createClient({ baseUrl: fixture.url, apiKey: key });
  for (const link of HOSTILE_LINKS) {
    await sender.notifyAsync({ title: "Link", body: "", link }).catch((error: unknown) => {
      assert.match(String(error), /link/, JSON.stringify(link));
    });
  }
  for (const { link } of (await client.feed.list({ limit: 200 })).items) {
    assert.doesNotMatch(
      link ?? "",
      /^\s*(?:javascript|data|vbscript|blob|file|filesystem|about):/i,
    );
    assert.equal(new URL(link ?? "").username, "", link ?? "");
  }
});

test("a click on a link to another program opens only a confirmation, which shows the URL", async (t) => {
  const hostileFixture = await startHostileContentFixture(t);
  const { page, tripwire, fixture } = hostileFixture;
  const items = await fillFeedWithHostileContent(hostileFixture);
  const idsByLink = new Map(items.map(({ id, link }) => [link ?? "", id]));
  let confirmations = 0;
  for (const [link, id] of idsByLink) {
    const action = decideLinkWay(link);
    await page.tab.goto(`${fixture.url}/n/${id}`);
    await page.waitFor(`[data-opened-notification="${id}"]`);
    const hrefs: unknown = await page.tab.evaluate(LINK_URLS);
    // The expression returns URLs; images also have web URLs.
    for (const href of hrefs as readonly string[]) assert.equal(decideLinkWay(href), "open", link);
    const buttons = await page.tab.$$(`${OPENED_LINKS} button[aria-haspopup="dialog"]`);
    assert.equal(buttons.length, action === "ask" ? 1 : 0, link);
    if (action !== "ask") continue;
    const urlsBefore = await listOpenUrls(page);
    await buttons[0]?.click();
    await page.waitFor(`[role="dialog"] pre`);
    const confirmation: unknown = await page.tab.evaluate(CONFIRMATION);
    const { href } = new URL(link);
    assert.deepEqual(
      confirmation,
      { shownUrl: href, leadsTo: href, rel: "noopener noreferrer" },
      link,
    );
    assert.deepEqual(await listOpenUrls(page), urlsBefore, link);
    confirmations += 1;
  }
  assert.ok(confirmations >= 8, `${confirmations} confirmations`);
  reportFigure(t, `${confirmations} links to other programs asked for confirmation, 0 opened`);
  await assertNoScriptRan(page, tripwire);
});

const OPENED_LINKS = "[data-opened-notification]";
const LINK_URLS = `[...document.querySelectorAll("${OPENED_LINKS} a[href]")].map((anchor) => anchor.href)`;
const CONFIRMATION = `(() => {
  const dialog = document.querySelector('[role="dialog"]');
  const [anchor] = dialog.querySelectorAll("a[href]");
  return { shownUrl: dialog.querySelector("pre").textContent, leadsTo: anchor.href, rel: anchor.rel };
})()`;

/** Returns the URLs of all open pages. */
async function listOpenUrls({ tab }: ConsolePage): Promise<readonly string[]> {
  return (await tab.browser().pages()).map((tab) => tab.url());
}
