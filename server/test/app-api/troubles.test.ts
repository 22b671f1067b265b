import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { inviteAndSignUp, setUpAdministrator } from "../support/administrator.ts";
import { signUp } from "../support/app.ts";
import { ON_POSTGRES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { addAndroid, addIphone, startNativeApp } from "../support/native-app.ts";

const REFUSED_TOKEN = { kind: "answer", status: 403, reason: "InvalidProviderToken" } as const;

const MINUTE_MS = 60_000;

const listTroubles = async (client: Client) =>
  (await client.troubles()).items.map(({ service, cause, ownDeviceCount }) => [
    service,
    cause,
    ownDeviceCount,
  ]);

test("a failing push service is shown to administrators and to owners of its devices", async (t) => {
  const environment = { TOCSIN_SIGN_UP: "", TOCSIN_RATE_LIMIT_PER_S: "0" };
  let nowMs = Date.now();
  const app = await startNativeApp(t, { environment, isSingleProcess: true, now: () => nowMs });
  const root = await setUpAdministrator(app, "root@example.org");
  const server = { url: app.url, root };
  const ann = await inviteAndSignUp(server, "Ann");
  const ben = await inviteAndSignUp(server, "Ben");
  await addIphone(app, ann);
  await addAndroid(app, ben);
  assert.deepEqual(await listTroubles(root.client), []);
  const readPushFindings = async () =>
    (await root.client.admin.health()).findings.filter(isAboutPush);
  assert.deepEqual(
    (await readPushFindings()).map(({ status }) => status),
    ["ok"],
  );

  app.apns.setDefaultScript(REFUSED_TOKEN);
  await ann.client.notifications.send({ title: "One", body: "" });
  await eventually(
    () => listTroubles(root.client),
    (items) => items.length === 1,
  );
  assert.deepEqual(await listTroubles(root.client), [["apns production", "credentials", 0]]);
  assert.deepEqual(await listTroubles(ann.client), [["apns production", "credentials", 1]]);
  assert.deepEqual(await listTroubles(ben.client), []);
  const [finding] = await readPushFindings();
  assert.equal(finding?.status, "fail");
  assert.match(finding.message, /^apns production, since .*credentials were refused/);

  const [phone] = (await ann.client.devices.list()).items;
  await ann.client.devices.update(phone?.id ?? "", { paused: true });
  assert.deepEqual(await listTroubles(ann.client), [], "a paused device is not affected");
  await ann.client.devices.update(phone?.id ?? "", { paused: false });

  app.apns.setDefaultScript(null);
  nowMs += 6 * MINUTE_MS;
  await ann.client.notifications.send({ title: "Two", body: "" });
  await eventually(
    () => listTroubles(root.client),
    (items) => items.length === 0,
  );
  assert.deepEqual(await listTroubles(ann.client), []);
});

function isAboutPush({ subject }: { readonly subject: string }): boolean {
  return subject === "push services";
}

test("a push service that fails on one node is shown by all nodes", ON_POSTGRES, async (t) => {
  const first = await startNativeApp(t, { isSingleProcess: true });
  const startNode = () => startNativeApp(t, { peerApp: first, services: first.services });
  const second = await startNode();
  const third = await startNode();
  const ann = await signUp(first, "Ann");
  await addIphone(first, ann);
  first.apns.setDefaultScript(REFUSED_TOKEN);
  await ann.client.notifyAsync({ title: "One", body: "" });
  const { token: accessToken } = await ann.client.accessTokens.create({ label: "there" });
  for (const { url } of [first, second, third]) {
    const items = await eventually(
      () => listTroubles(createClient({ baseUrl: url, accessToken })),
      (troubles) => troubles.length > 0,
    );
    assert.deepEqual(items, [["apns production", "credentials", 1]]);
  }
});
