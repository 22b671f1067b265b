import assert from "node:assert/strict";
import test from "node:test";
import { createClient, type Client } from "@tocsin/sdk";
import { inviteAndSignUp, setUpBy } from "../support/administrator.ts";
import { signUp } from "../support/app.ts";
import { ON_POSTGRES } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { addAndroid, addIphone, startNativeApp } from "../support/native.ts";

const REFUSED = { kind: "answer", status: 403, reason: "InvalidProviderToken" } as const;

const MINUTE_MS = 60_000;

const told = async (client: Client) =>
  (await client.troubles()).items.map(({ service, cause, ownDeviceCount }) => [
    service,
    cause,
    ownDeviceCount,
  ]);

test("a push service in trouble is told to administrators, and to who has a device there, until it is over", async (t) => {
  const environment = { TOCSIN_SIGN_UP: "", TOCSIN_RATE_LIMIT_PER_S: "0" };
  let time = Date.now();
  const app = await startNativeApp(t, { environment, isOneProcess: true, now: () => time });
  const root = await setUpBy(app, "root@example.org");
  const stage = { url: app.url, root };
  const [ann, ben] = [await inviteAndSignUp(stage, "Ann"), await inviteAndSignUp(stage, "Ben")];
  await addIphone(app, ann);
  await addAndroid(app, ben);
  assert.deepEqual(await told(root.client), []);
  const push = async () => (await root.client.admin.health()).findings.filter(isAboutPush);
  assert.deepEqual(
    (await push()).map(({ status }) => status),
    ["ok"],
  );

  app.apns.always(REFUSED);
  await ann.client.notifications.send({ title: "One", body: "" });
  await eventually(
    () => told(root.client),
    (items) => items.length === 1,
  );
  assert.deepEqual(await told(root.client), [["apns production", "credentials", 0]]);
  assert.deepEqual(await told(ann.client), [["apns production", "credentials", 1]]);
  assert.deepEqual(await told(ben.client), []);
  const [finding] = await push();
  assert.equal(finding?.status, "fail");
  assert.match(finding.message, /^apns production, since .*credentials were refused/);

  const [phone] = (await ann.client.devices.list()).items;
  await ann.client.devices.update(phone?.id ?? "", { paused: true });
  assert.deepEqual(await told(ann.client), [], "a paused device waits for nothing");
  await ann.client.devices.update(phone?.id ?? "", { paused: false });

  app.apns.always(null);
  time += 6 * MINUTE_MS;
  await ann.client.notifications.send({ title: "Two", body: "" });
  await eventually(
    () => told(root.client),
    (items) => items.length === 0,
  );
  assert.deepEqual(await told(ann.client), []);
});

function isAboutPush({ subject }: { readonly subject: string }): boolean {
  return subject === "push services";
}

test(
  "a push service in trouble at one of three nodes is told by all of them",
  ON_POSTGRES,
  async (t) => {
    const one = await startNativeApp(t, { isOneProcess: true });
    const beside = () => startNativeApp(t, { beside: one, services: one.services });
    const [two, three] = [await beside(), await beside()];
    const ann = await signUp(one, "Ann");
    await addIphone(one, ann);
    one.apns.always(REFUSED);
    await ann.client.notifyAsync({ title: "One", body: "" });
    const { token: accessToken } = await ann.client.accessTokens.create({ label: "there" });
    for (const { url } of [one, two, three]) {
      const items = await eventually(
        () => told(createClient({ baseUrl: url, accessToken })),
        (found) => found.length > 0,
      );
      assert.deepEqual(items, [["apns production", "credentials", 1]]);
    }
  },
);
