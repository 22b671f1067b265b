import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { IncidentReceipt } from "@tocsin/sdk";
import { CallbackReceiver } from "../doubles/callback-receiver.ts";
import type { ConsoleUser } from "../support/console-fixture.ts";
import { BROWSERS_ON_DESKTOPS } from "../support/push-browsers.ts";
import { createTeamSender, setUpTeam, waitForReplacement } from "../support/team-fixture.ts";

const TITLE = "Disk full";

for (const [browserName, startBrowsers] of Object.entries(BROWSERS_ON_DESKTOPS)) {
  test(`in ${browserName}, a button acknowledges without an open page or a session, and another member sees who did`, async (t) => {
    const receiver = await startReceiver(t);
    const environment = { TOCSIN_CALLBACK_ALLOW_ORIGINS: receiver.origin };
    const team = await setUpTeam(t, { startBrowsers, environment });
    const { browsers, ann, ben } = team;
    const { sender, keyId } = await createTeamSender(team);
    await createSecret(ann, { keyId, receiver });
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

    await waitForReplacement(browsers, ben.page, { tag: incidentId, title: "Acknowledged by Ann" });
    await ben.page.followLink(TITLE);
    await ben.page.waitFor("[data-incident] ::-p-text(Acknowledged by Ann)");
    assert.deepEqual(ben.page.consoleErrors, []);
  });
}

/** Returns the state, who acknowledged, and by what means. */
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

/** Creates a callback secret for the key, and gives it to the receiver. */
async function createSecret(
  { client }: ConsoleUser,
  { keyId, receiver }: { readonly keyId: string; readonly receiver: CallbackReceiver },
): Promise<void> {
  const { secret } = await client.keys.createCallbackSecret(keyId);
  receiver.secrets.push(secret);
}
