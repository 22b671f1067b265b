import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ConsolePage } from "./console-page.ts";
import { setUpServer, startConsoleFixture } from "./console-fixture.ts";
import { fillFeed } from "./fill-feed.ts";
import { HOSTILE_LINKS, HOSTILE_TEXTS } from "./hostile-texts.ts";
import { PUSH_BROWSERS } from "./push-browsers.ts";
import { installTripwire, type Tripwire } from "./tripwire.ts";

/** Starts a server and a signed-in console, whose browser reports every script that runs. */
export async function startHostileContentFixture(t: TestContext) {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const ann = await setUpServer(fixture, browsers);
  const tripwire = await installTripwire(ann.page);
  await ann.page.tab.reload();
  return { browsers, fixture, tripwire, ...ann };
}

/**
 * Fills the feed without the checks of the API, because the console must not trust any text of a server. Returns the
 * feed's items.
 */
export async function fillFeedWithHostileContent({
  fixture,
  client,
}: Awaited<ReturnType<typeof startHostileContentFixture>>) {
  const { id: accountId } = await client.me();
  await fillFeed(
    fixture.app.context,
    accountId,
    HOSTILE_TEXTS.map((text, index) => ({
      title: text,
      body: text,
      link: HOSTILE_LINKS[index % HOSTILE_LINKS.length] ?? null,
      // A step that is not the link's, so that link and image differ.
      image: HOSTILE_LINKS[(index * 7) % HOSTILE_LINKS.length] ?? null,
      channel: index % 2 === 0 ? "hostile" : "feed",
    })),
  );
  return (await client.feed.list({ limit: 200 })).items;
}

/** Throws if a script ran or the browser reported an error. */
export async function assertNoScriptRan(page: ConsolePage, tripwire: Tripwire): Promise<void> {
  assert.deepEqual(await tripwire.listExecutedScripts(), []);
  assert.deepEqual(page.consoleErrors, []);
}
