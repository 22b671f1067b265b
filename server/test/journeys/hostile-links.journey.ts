import assert from "node:assert/strict";
import test from "node:test";
import { createClient, linkWay } from "@tocsin/sdk";
import { tellFigure } from "../bars/bar.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { assertUnharmed, fillWithHostile, hostileStage } from "../support/hostile-stage.ts";
import { HOSTILE_LINKS } from "../support/hostile-texts.ts";

test("a hostile link is refused by the API, or leads where it says", async (t) => {
  const { client, stage } = await hostileStage(t);
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

test("a link that another program would take is asked about, and nothing opens by a click on it", async (t) => {
  const visitor = await hostileStage(t);
  const { page, wire, stage } = visitor;
  const items = await fillWithHostile(visitor);
  const asked = new Map(items.map(({ id, link }) => [link ?? "", id]));
  let questions = 0;
  for (const [link, id] of asked) {
    const way = linkWay(link);
    await page.page.goto(`${stage.url}/n/${id}`);
    await page.see(`[data-opened-notification="${id}"]`);
    const leading: unknown = await page.page.evaluate(LEADING);
    // The expression made the list; images are on the web, too.
    for (const href of leading as readonly string[]) assert.equal(linkWay(href), "open", link);
    const buttons = await page.page.$$(`${OPENED_LINKS} button[aria-haspopup="dialog"]`);
    assert.equal(buttons.length, way === "ask" ? 1 : 0, link);
    if (way !== "ask") continue;
    const before = await openedPages(page);
    await buttons[0]?.click();
    await page.see(`[role="dialog"] pre`);
    const question: unknown = await page.page.evaluate(QUESTION);
    const { href } = new URL(link);
    assert.deepEqual(question, { address: href, leadsTo: href, rel: "noopener noreferrer" }, link);
    assert.deepEqual(await openedPages(page), before, link);
    questions += 1;
  }
  assert.ok(questions >= 8, `${questions} questions`);
  tellFigure(t, `${questions} links of other programs asked about, 0 opened`);
  await assertUnharmed(page, wire);
});

const OPENED_LINKS = "[data-opened-notification]";
const LEADING = `[...document.querySelectorAll("${OPENED_LINKS} a[href]")].map((one) => one.href)`;
const QUESTION = `(() => {
  const dialog = document.querySelector('[role="dialog"]');
  const [leading] = dialog.querySelectorAll("a[href]");
  return { address: dialog.querySelector("pre").textContent, leadsTo: leading.href, rel: leading.rel };
})()`;

/** The addresses of all that the browser has open. */
async function openedPages({ page }: ConsolePage): Promise<readonly string[]> {
  return (await page.browser().pages()).map((one) => one.url());
}
