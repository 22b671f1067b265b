import type { TestContext } from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import {
  BEN,
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
  type ConsoleFixture,
  type ConsoleUser,
} from "./console-fixture.ts";
import { joinTeamByLink } from "./join-team-by-link.ts";
import type { ConsolePage } from "./console-page.ts";
import type { PushBrowsers } from "./push-browsers.ts";

/** Two members of the team Operations, each with notifications in a browser of their own. */
export interface TeamFixture {
  readonly fixture: ConsoleFixture;
  readonly browsers: PushBrowsers;
  readonly ann: ConsoleUser;
  readonly ben: ConsoleUser;
}

/** Options of `setUpTeam`. */
export interface TeamOptions {
  readonly startBrowsers: (test: TestContext) => Promise<PushBrowsers>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a server with a team of Ann, its administrator, and Ben. */
export async function setUpTeam(
  test: TestContext,
  { startBrowsers, environment = {} }: TeamOptions,
): Promise<TeamFixture> {
  const browsers = await startBrowsers(test);
  const fixture = await startConsoleFixture(test, browsers, environment);
  const ann = await setUpServer(fixture, browsers);
  await turnOnNotifications(ann);
  const teamName = "Operations";
  const { id } = await ann.client.teams.create({ name: teamName });
  const team = { owner: ann, teamId: id, teamName, url: fixture.url };
  const ben = await joinTeamByLink(browsers, team, BEN);
  await turnOnNotifications(ben);
  return { fixture, browsers, ann, ben };
}

/** A client with a team key, and the id of the key. */
export interface TeamSender {
  readonly sender: Client;
  readonly keyId: string;
}

/** Creates a key of the team; returns a client with it, and its id. */
export async function createTeamSender({
  fixture: { url },
  ann: { client },
}: TeamFixture): Promise<TeamSender> {
  const [team] = (await client.teams.list()).items;
  const teamId = team?.id ?? "";
  const { id, key } = await client.keys.create({ kind: "team", teamId, label: "Monitoring" });
  return { sender: createClient({ baseUrl: url, apiKey: key }), keyId: id };
}

/** A notification that replaces the one with its tag: its title, and a part of its body if that matters. */
export interface Replacement {
  readonly tag: string;
  readonly title: string;
  readonly body?: string;
}

/** Resolves once the page's browser shows exactly one notification with the tag, with these texts. */
export async function waitForReplacement(
  browsers: Pick<PushBrowsers, "waitForShown">,
  page: ConsolePage,
  { tag, title, body = "" }: Replacement,
): Promise<void> {
  // A list of notifications makes Chromium drop those that are not displayed yet.
  await browsers.waitForShown(page, { title, body }, 1);
  const isShown = `shown.title === ${JSON.stringify(title)}`;
  const hasBody = `shown.body.includes(${JSON.stringify(body)})`;
  const shown = `navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications({ tag: ${JSON.stringify(tag)} }))`;
  try {
    await page.tab.waitForFunction(
      `${shown}.then(([shown, ...others]) => shown !== undefined && others.length === 0 && ${isShown} && ${hasBody})`,
    );
  } catch (error) {
    const texts = `${shown}.then((all) => all.map(({ title, body }) => [title, body].join(": ")))`;
    const message = `Not replaced by "${title}": ${String(await page.tab.evaluate(texts))}`;
    throw new Error(message, { cause: error });
  }
}
