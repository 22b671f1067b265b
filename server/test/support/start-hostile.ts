import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ConsolePage } from "./console-page.ts";
import { setUp, startStage } from "./console-stage.ts";
import { fillFeed } from "./feed.ts";
import { HOSTILE_LINKS, HOSTILE_TEXTS } from "./hostile-texts.ts";
import { PUSH_BROWSERS } from "./push-browsers.ts";
import { setTripwire, type Tripwire } from "./tripwire.ts";

/** Starts a server and a signed-in console, whose browser reports every script that runs. */
export async function startHostile(t: TestContext) {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const ann = await setUp(stage, browsers);
  const wire = await setTripwire(ann.page);
  await ann.page.page.reload();
  return { browsers, stage, wire, ...ann };
}

/** Fills the feed past the checks of the API, because the console must not trust any text of a server. */
export async function fillWithHostile({ stage, client }: Awaited<ReturnType<typeof startHostile>>) {
  const { id: accountId } = await client.me();
  await fillFeed(
    stage.app.context,
    accountId,
    HOSTILE_TEXTS.map((text, index) => ({
      title: text,
      body: text,
      link: HOSTILE_LINKS[index % HOSTILE_LINKS.length] ?? null,
      image: HOSTILE_LINKS[(index * 7) % HOSTILE_LINKS.length] ?? null,
      channel: index % 2 === 0 ? "hostile" : "feed",
    })),
  );
  return (await client.feed.list({ limit: 200 })).items;
}

/** Throws if a script ran or the browser reported an error. */
export async function assertNoScriptRan(page: ConsolePage, wire: Tripwire): Promise<void> {
  assert.deepEqual(await wire.tripped(), []);
  assert.deepEqual(page.complaints, []);
}
