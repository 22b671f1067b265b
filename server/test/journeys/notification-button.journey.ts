import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { createClient, type Client, type IncidentReceipt } from "@tocsin/sdk";
import { CallbackReceiver } from "../doubles/callback-receiver.ts";
import {
  setUpServer,
  startConsoleFixture,
  turnOnNotifications,
  type ConsoleUser,
} from "../support/console-fixture.ts";
import type { ConsolePage } from "../support/console-page.ts";
import { BROWSERS_WITH_BUTTONS, type PushBrowsers } from "../support/push-browsers.ts";

const BEN = { name: "Ben", email: "ben@example.org", password: "password of Ben" };
const TITLE = "Disk full";

for (const [browserName, startBrowsers] of Object.entries(BROWSERS_WITH_BUTTONS)) {
  test(`in ${browserName}, a button acknowledges without a page and a session, and everybody sees by whom`, async (t) => {
    const receiver = await startReceiver(t);
    const { browsers, url, ann, ben } = await setUpTeam(t, { startBrowsers, receiver });
    const sender = await createSender(ann, { url, receiver });
    const { incidentId = "" } = await sender.notify({
      title: TITLE,
      body: "db-1 has 2 % left",
      priority: "emergency",
      incidentKey: "disk",
      callback: `${receiver.origin}/hook`,
    });
    await ben.page.waitForNotification(incidentId);
    await ann.page.waitForNotification(incidentId);
    await ann.page.leave();
    await ann.client.sessions.endOthers();
    await browsers.pressButton(ann.page, { title: TITLE, button: "Acknowledge" });

    const receipt = await sender.receipts.get(incidentId, { waitSeconds: 30 });
    assert.deepEqual(summarize(receipt), ["acknowledged", "Ann", "button"]);
    const [call] = await receiver.waitForCalls(1);
    assert.deepEqual(call?.acceptedSecrets, receiver.secrets);
    const { type, data } = JSON.parse(call.body);
    assert.deepEqual([type, data.incidentId], ["incident.acknowledged", incidentId]);
    assert.deepEqual(summarize(data), summarize(receipt));

    await waitForReplacement(ben.page, { tag: incidentId, title: "Acknowledged by Ann" });
    await ben.page.followLink(TITLE);
    await ben.page.waitFor("[data-incident] ::-p-text(Acknowledged by Ann)");
    assert.deepEqual(ben.page.consoleErrors, []);
  });
}

/** Returns the state, and by whom and by what. */
function summarize({
  state,
  acknowledgement,
}: Pick<IncidentReceipt, "state" | "acknowledgement">): readonly (string | null | undefined)[] {
  return [state, acknowledgement?.name, acknowledgement?.via];
}

/** Starts a receiver that verifies callbacks with the package `standardwebhooks`. */
async function startReceiver(t: TestContext): Promise<CallbackReceiver> {
  const receiver = await CallbackReceiver.start();
  t.after(() => receiver.close());
  return receiver;
}

interface TeamOptions {
  readonly startBrowsers: (test: TestContext) => Promise<PushBrowsers>;
  readonly receiver: CallbackReceiver;
}

/** Starts a server, and two people of a team with notifications in browsers of their own. */
async function setUpTeam(t: TestContext, { startBrowsers, receiver }: TeamOptions) {
  const browsers = await startBrowsers(t);
  const fixture = await startConsoleFixture(t, browsers, {
    TOCSIN_CALLBACK_ALLOW_ORIGINS: receiver.origin,
  });
  const { url } = fixture;
  const ann = await setUpServer(fixture, browsers);
  await turnOnNotifications(ann);
  const { id: teamId } = await ann.client.teams.create({ name: "Operations" });
  const { link } = await ann.client.teams.invite(teamId, { email: BEN.email });
  const ben = await joinTeam(await browsers.open(link), url);
  await turnOnNotifications(ben);
  return { browsers, url, ann, ben };
}

/** Signs Ben up by the invitation to Ann's team. */
async function joinTeam(page: ConsolePage, url: string): Promise<ConsoleUser> {
  const { name, email, password } = BEN;
  await page.fillIn({ name, password });
  await page.press("Create the account and join");
  await page.followLink("Go to Tocsin");
  const client = createClient({ baseUrl: url });
  await client.signIn({ email, password });
  return { page, client };
}

/** Returns a client with a key of the team, whose callbacks the receiver verifies. */
async function createSender(
  { client }: ConsoleUser,
  { url, receiver }: { readonly url: string; readonly receiver: CallbackReceiver },
): Promise<Client> {
  const [team] = (await client.teams.list()).items;
  const key = await client.keys.create({
    kind: "team",
    teamId: team?.id ?? "",
    label: "Monitoring",
  });
  const { secret } = await client.keys.createCallbackSecret(key.id);
  receiver.secrets.push(secret);
  return createClient({ baseUrl: url, apiKey: key.key });
}

/** Resolves once a push has replaced the notification with this tag. */
async function waitForReplacement(
  page: ConsolePage,
  { tag, title }: { readonly tag: string; readonly title: string },
): Promise<void> {
  await page.tab.waitForFunction(
    `navigator.serviceWorker.ready
      .then((registration) => registration.getNotifications({ tag: ${JSON.stringify(tag)} }))
      .then((all) => all.length === 1 && all[0].title === ${JSON.stringify(title)})`,
  );
}
