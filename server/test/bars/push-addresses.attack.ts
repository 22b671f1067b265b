import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { isDeniedAddress } from "#providers/webpush/denied-address.ts";
import { startApp, signUp, type TestApp, type TestPerson } from "../support/app.ts";
import { HOSTILE_ENDPOINTS, LOOKALIKE_ENDPOINTS } from "../support/hostile-endpoints.ts";
import { startPushPeer, subscribeBrowser } from "../support/push-peer.ts";
import { insertDevice } from "../support/room.ts";
import { tellFigure } from "./bar.ts";
import { watchConnections } from "./watch-connections.ts";

/** Addresses that a stranger's host name may resolve to: every kind that is not public. */
const INSIDE = [
  "127.0.0.1",
  "127.8.9.10",
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "192.168.0.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:a9fe:a9fe",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "2001:0:7f00:1::",
  "fe80::1",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
];
/** Stands for a public address: nothing listens there. */
const PUBLIC = "127.77.77.77";
const isDenied = (address: string) => address !== PUBLIC && isDeniedAddress(address);
const ALLOWED = "up.example.org";

/** An app that resolves names as it is told, and everything that any socket tries to reach. */
async function stage(t: TestContext, resolve: (name: string) => readonly string[]) {
  const asked: string[] = [];
  const app = await startApp(t, {
    isOneProcess: true,
    environment: { TOCSIN_WEBPUSH_HOSTS: `vendors,*.${ALLOWED}` },
    webPush: {
      isDenied,
      resolve: async (name) => {
        asked.push(name);
        return resolve(name);
      },
    },
  });
  const ann = await signUp(app, "Ann");
  const tried = watchConnections(t);
  const ownPorts = [new URL(app.url).port, String(app.push.port)];
  return {
    app,
    ann,
    asked,
    outside: () => tried.filter((to) => !ownPorts.some((port) => to.endsWith(`:${port}`))),
  };
}

/** As if it had been registered when the rules were others: what is checked now is the sending. */
async function store({ app }: TestApp, { accountId }: TestPerson, endpoint: string): Promise<void> {
  const { keys } = subscribeBrowser();
  await insertDevice(app.context, {
    accountId,
    name: "Hostile",
    platform: "web",
    address: { provider: "webpush", endpoint, keys },
  });
}

/** The codes of all deliveries of one notification to everything that the person has. */
async function codesOf({ client }: TestPerson): Promise<readonly (string | null)[]> {
  const { notificationId } = await client.notify({ title: "Hello", body: "" });
  const { deliveries } = await client.notifications.get(notificationId ?? "");
  return deliveries.map(({ code }) => code);
}

test("no hostile address can be registered", async (t) => {
  const { ann, asked, outside } = await stage(t, () => [PUBLIC]);
  for (const endpoint of [...HOSTILE_ENDPOINTS, ...LOOKALIKE_ENDPOINTS]) {
    const { keys } = subscribeBrowser();
    const push = { provider: "webpush", endpoint, keys } as const;
    const device = ann.client.devices.create({ name: "Hostile", platform: "web", push });
    await assert.rejects(device, { status: 400 }, endpoint);
  }
  assert.deepEqual([asked, outside()], [[], []]);
});

test("a hostile address that is stored is not sent to, nor looked up", async (t) => {
  const { app, ann, asked, outside } = await stage(t, () => [PUBLIC]);
  const corpus = [...HOSTILE_ENDPOINTS, ...LOOKALIKE_ENDPOINTS].filter((one) => URL.canParse(one));
  for (const endpoint of corpus) await store(app, ann, endpoint);
  const codes = await codesOf(ann);
  assert.deepEqual(new Set(codes), new Set(["endpoint_not_allowed"]));
  assert.deepEqual([asked, outside()], [[], []]);
  const all = HOSTILE_ENDPOINTS.length + LOOKALIKE_ENDPOINTS.length;
  tellFigure(
    t,
    `${all} addresses refused, ${corpus.length} of them stored beforehand, 0 connections`,
  );
});

test("a name that is allowed and leads inside is not connected to", async (t) => {
  const names = new Map(INSIDE.map((address, index) => [`n${index}.${ALLOWED}`, address]));
  const { app, ann, asked, outside } = await stage(t, (name) => {
    const address = names.get(name) ?? "";
    // One public address beside it changes nothing, wherever it stands.
    return asked.length % 2 === 0 ? [address] : [PUBLIC, address];
  });
  for (const name of names.keys()) await store(app, ann, `https://${name}/x`);
  const codes = await codesOf(ann);
  assert.deepEqual(new Set(codes), new Set(["endpoint_not_allowed"]));
  assert.deepEqual(outside(), []);
  assert.equal(asked.length, INSIDE.length);
  tellFigure(t, `${INSIDE.length} names that lead inside, 0 connections`);
});

test("a name that leads elsewhere after the check is connected to where the check looked", async (t) => {
  const answers = [[PUBLIC], ["169.254.169.254"], ["127.0.0.1"]];
  const { app, ann, outside } = await stage(t, () => answers.shift() ?? ["10.0.0.1"]);
  for (let index = 0; index < 4; index += 1)
    await store(app, ann, `https://r${index}.${ALLOWED}/x`);
  await codesOf(ann);
  assert.deepEqual(
    outside().filter((to) => to !== `${PUBLIC}:443`),
    [],
  );
  tellFigure(t, "rebinding: connections to the address that was checked alone");
});

test("a redirect leads nowhere", async (t) => {
  const target = await startPushPeer(t, (response) => response.end());
  const statuses = [301, 302, 303, 307, 308];
  const places = [`${target.origin}/admin`, "http://169.254.169.254/", "//127.0.0.1/", "file:///x"];
  let served = 0;
  const push = await startPushPeer(t, (response) => {
    const location = places[served % places.length] ?? "";
    response.writeHead(statuses[served % statuses.length] ?? 302, { location }).end();
    served += 1;
  });
  const app = await startApp(t, {
    isOneProcess: true,
    environment: { TOCSIN_WEBPUSH_ALLOW_ORIGINS: push.origin },
  });
  const ann = await signUp(app, "Ann");
  const tried = watchConnections(t);
  const count = statuses.length * places.length;
  for (let index = 0; index < count; index += 1) await store(app, ann, `${push.origin}/${index}`);
  await codesOf(ann);
  const ports = [app.url, push.origin].map((url) => new URL(url).port);
  assert.ok(served > statuses.length);
  assert.deepEqual(target.hits, []);
  assert.deepEqual(
    tried.filter((to) => !ports.some((port) => to.endsWith(`:${port}`))),
    [],
  );
  tellFigure(t, `${served} redirects, 0 followed`);
});
