import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { isDeniedAddress } from "#providers/denied-address.ts";
import { startApp, signUp, type TestApp, type TestPerson } from "../support/app.ts";
import { HOSTILE_ENDPOINTS, LOOKALIKE_ENDPOINTS } from "../support/hostile-endpoints.ts";
import { startPushPeer, subscribeBrowser } from "../support/push-peer.ts";
import { insertDevice } from "../support/context.ts";
import { reportFigure } from "./bar.ts";
import { watchConnections } from "./watch-connections.ts";

/** Every kind of non-public address to which a hostile host name may resolve. */
const NON_PUBLIC_ADDRESSES = [
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
/** Represents a public address; nothing listens there. */
const PUBLIC_ADDRESS = "127.77.77.77";
const isDenied = (address: string) => address !== PUBLIC_ADDRESS && isDeniedAddress(address);
const ALLOWED_DOMAIN = "up.example.org";

/** Starts an app with a fake resolver, and records every connection attempt of the process. */
async function setUp(t: TestContext, resolve: (name: string) => readonly string[]) {
  const resolvedNames: string[] = [];
  const app = await startApp(t, {
    isSingleProcess: true,
    environment: { TOCSIN_WEBPUSH_HOSTS: `vendors,*.${ALLOWED_DOMAIN}` },
    webPush: {
      isDenied,
      resolve: async (name) => {
        resolvedNames.push(name);
        return resolve(name);
      },
    },
  });
  const ann = await signUp(app, "Ann");
  const connectionAttempts = watchConnections(t);
  const ownPorts = [new URL(app.url).port, String(app.push.port)];
  return {
    app,
    ann,
    resolvedNames,
    listOutsideAttempts: () =>
      connectionAttempts.filter(
        (address) => !ownPorts.some((port) => address.endsWith(`:${port}`)),
      ),
  };
}

/** Inserts a device directly, as if registered under older rules, so that only the send can check it. */
async function insertEndpoint(
  { app }: TestApp,
  { accountId }: TestPerson,
  endpoint: string,
): Promise<void> {
  const { keys } = subscribeBrowser();
  await insertDevice(app.context, {
    accountId,
    name: "Hostile",
    platform: "web",
    address: { provider: "webpush", endpoint, keys },
  });
}

/** Sends a notification to all devices of the person; returns the codes of its deliveries. */
async function sendAndReadCodes({ client }: TestPerson): Promise<readonly (string | null)[]> {
  const { notificationId } = await client.notify({ title: "Hello", body: "" });
  const { deliveries } = await client.notifications.get(notificationId ?? "");
  return deliveries.map(({ code }) => code);
}

test("no hostile endpoint can be registered", async (t) => {
  const { ann, resolvedNames, listOutsideAttempts } = await setUp(t, () => [PUBLIC_ADDRESS]);
  for (const endpoint of [...HOSTILE_ENDPOINTS, ...LOOKALIKE_ENDPOINTS]) {
    const { keys } = subscribeBrowser();
    const push = { provider: "webpush", endpoint, keys } as const;
    const registration = ann.client.devices.create({ name: "Hostile", platform: "web", push });
    await assert.rejects(registration, { status: 400 }, endpoint);
  }
  assert.deepEqual([resolvedNames, listOutsideAttempts()], [[], []]);
});

test("a stored hostile endpoint is neither resolved nor connected to", async (t) => {
  const { app, ann, resolvedNames, listOutsideAttempts } = await setUp(t, () => [PUBLIC_ADDRESS]);
  const corpus = [...HOSTILE_ENDPOINTS, ...LOOKALIKE_ENDPOINTS].filter((endpoint) =>
    URL.canParse(endpoint),
  );
  for (const endpoint of corpus) await insertEndpoint(app, ann, endpoint);
  const codes = await sendAndReadCodes(ann);
  assert.deepEqual(new Set(codes), new Set(["endpoint_not_allowed"]));
  assert.deepEqual([resolvedNames, listOutsideAttempts()], [[], []]);
  const total = HOSTILE_ENDPOINTS.length + LOOKALIKE_ENDPOINTS.length;
  reportFigure(
    t,
    `${total} endpoints refused, ${corpus.length} of them stored beforehand, 0 connections`,
  );
});

test("an allowed name that resolves to a non-public address is not connected to", async (t) => {
  const addressesByName = new Map(
    NON_PUBLIC_ADDRESSES.map((address, index) => [`n${index}.${ALLOWED_DOMAIN}`, address]),
  );
  const { app, ann, resolvedNames, listOutsideAttempts } = await setUp(t, (name) => {
    const address = addressesByName.get(name) ?? "";
    // Every other resolution also contains a public address, which must change nothing.
    return resolvedNames.length % 2 === 0 ? [address] : [PUBLIC_ADDRESS, address];
  });
  for (const name of addressesByName.keys()) await insertEndpoint(app, ann, `https://${name}/x`);
  const codes = await sendAndReadCodes(ann);
  assert.deepEqual(new Set(codes), new Set(["endpoint_not_allowed"]));
  assert.deepEqual(listOutsideAttempts(), []);
  assert.equal(resolvedNames.length, NON_PUBLIC_ADDRESSES.length);
  reportFigure(
    t,
    `${NON_PUBLIC_ADDRESSES.length} names that resolve to non-public addresses, 0 connections`,
  );
});

test("DNS rebinding: a connection goes only to the address that was checked", async (t) => {
  // Each lookup takes the next resolution, so a second one would return a private address.
  const resolutions = [[PUBLIC_ADDRESS], ["169.254.169.254"], ["127.0.0.1"]];
  const { app, ann, listOutsideAttempts } = await setUp(
    t,
    () => resolutions.shift() ?? ["10.0.0.1"],
  );
  for (let index = 0; index < 4; index += 1)
    await insertEndpoint(app, ann, `https://r${index}.${ALLOWED_DOMAIN}/x`);
  await sendAndReadCodes(ann);
  assert.deepEqual(
    listOutsideAttempts().filter((address) => address !== `${PUBLIC_ADDRESS}:443`),
    [],
  );
  reportFigure(t, "rebinding: connections only to the checked address");
});

test("redirects are not followed", async (t) => {
  const target = await startPushPeer(t, (response) => response.end());
  const statuses = [301, 302, 303, 307, 308];
  const locations = [
    `${target.origin}/admin`,
    "http://169.254.169.254/",
    "//127.0.0.1/",
    "file:///x",
  ];
  let servedCount = 0;
  const push = await startPushPeer(t, (response) => {
    const location = locations[servedCount % locations.length] ?? "";
    response.writeHead(statuses[servedCount % statuses.length] ?? 302, { location }).end();
    servedCount += 1;
  });
  const app = await startApp(t, {
    isSingleProcess: true,
    environment: { TOCSIN_WEBPUSH_ALLOW_ORIGINS: push.origin },
  });
  const ann = await signUp(app, "Ann");
  const connectionAttempts = watchConnections(t);
  const count = statuses.length * locations.length;
  for (let index = 0; index < count; index += 1)
    await insertEndpoint(app, ann, `${push.origin}/${index}`);
  await sendAndReadCodes(ann);
  const ports = [app.url, push.origin].map((url) => new URL(url).port);
  assert.ok(servedCount > statuses.length);
  assert.deepEqual(target.requests, []);
  assert.deepEqual(
    connectionAttempts.filter((address) => !ports.some((port) => address.endsWith(`:${port}`))),
    [],
  );
  reportFigure(t, `${servedCount} redirects, 0 followed`);
});
