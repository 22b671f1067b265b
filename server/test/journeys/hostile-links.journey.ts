import assert from "node:assert/strict";
import test from "node:test";
import { createClient, linkWay } from "@tocsin/sdk";
import { reportFigure } from "../bars/bar.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { assertNoScriptRan, fillWithHostile, startHostile } from "../support/start-hostile.ts";
import { HOSTILE_LINKS } from "../support/hostile-texts.ts";

test("a hostile link is refused by the API, or leads only to the shown URL", async (t) => {
  const { client, stage } = await startHostile(t);
  const { key } = await client.keys.create({ kind: "account" });
  const sender = createClient({ baseUrl: stage.url, apiKey: key });
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

test("a link to another program opens only after a confirmation", async (t) => {
  const visitor = await startHostile(t);
  const { page, wire, stage } = visitor;
  const items = await fillWithHostile(visitor);
  const idsByLink = new Map(items.map(({ id, link }) => [link ?? "", id]));
  let confirmations = 0;
  for (const [link, id] of idsByLink) {
    const action = linkWay(link);
    await page.page.goto(`${stage.url}/n/${id}`);
    await page.see(`[data-opened-notification="${id}"]`);
    const hrefs: unknown = await page.page.evaluate(LINK_URLS);
    // The expression returns URLs; images also have web URLs.
    for (const href of hrefs as readonly string[]) assert.equal(linkWay(href), "open", link);
    const buttons = await page.page.$$(`${OPENED_LINKS} button[aria-haspopup="dialog"]`);
    assert.equal(buttons.length, action === "ask" ? 1 : 0, link);
    if (action !== "ask") continue;
    const before = await openUrls(page);
    await buttons[0]?.click();
    await page.see(`[role="dialog"] pre`);
    const confirmation: unknown = await page.page.evaluate(CONFIRMATION);
    const { href } = new URL(link);
    assert.deepEqual(
      confirmation,
      { shownUrl: href, leadsTo: href, rel: "noopener noreferrer" },
      link,
    );
    assert.deepEqual(await openUrls(page), before, link);
    confirmations += 1;
  }
  assert.ok(confirmations >= 8, `${confirmations} questions`);
  reportFigure(t, `${confirmations} links to other programs confirmed, 0 opened`);
  await assertNoScriptRan(page, wire);
});

const OPENED_LINKS = "[data-opened-notification]";
const LINK_URLS = `[...document.querySelectorAll("${OPENED_LINKS} a[href]")].map((anchor) => anchor.href)`;
const CONFIRMATION = `(() => {
  const dialog = document.querySelector('[role="dialog"]');
  const [anchor] = dialog.querySelectorAll("a[href]");
  return { shownUrl: dialog.querySelector("pre").textContent, leadsTo: anchor.href, rel: anchor.rel };
})()`;

/** Returns the URLs of all open pages. */
async function openUrls({ page }: ConsolePage): Promise<readonly string[]> {
  return (await page.browser().pages()).map((tab) => tab.url());
}
