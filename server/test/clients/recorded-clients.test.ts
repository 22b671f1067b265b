import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { addDevice, signUp, startApp, type TestApp } from "../support/app.ts";
import { requestJson, type TestRequest } from "../contract/http-requests.ts";
import { assertEarlierResponse } from "./earlier-responses.ts";
import { LIBRARIES } from "./recorded-libraries.ts";
import { MONITORS } from "./recorded-monitors.ts";
import {
  CLIENT_CASES,
  USUAL_OUTCOMES,
  type ClientCase,
  type RecordedClient,
  type OutgoingMessage,
} from "./recorded-client.ts";

/** Characters that a client has to escape. */
const TITLE = 'Disk "/var" <97 %> & more';
const BODY = "In full:\n\t12 GB \u00fc \u{1f514}";
const LONG_BODY = "A line of a log, as a monitor sends it.\n".repeat(500);

const MESSAGES: Readonly<Record<ClientCase, Omit<OutgoingMessage, "key">>> = {
  success: { title: TITLE, body: BODY },
  noDevice: { title: TITLE, body: BODY },
  wrongKey: { title: TITLE, body: BODY },
  emptyTitle: { title: "", body: BODY },
  longText: { title: TITLE, body: LONG_BODY },
};

assert.equal(LONG_BODY.length, 20_000);

test("the names of the recorded clients are unique", () => {
  const names = [...MONITORS, ...LIBRARIES].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

// The two parts of law C1 of docs/promises.md.
test("C1: monitors and scripts get the responses of earlier versions, and understand them", async (t) => {
  await testClients(t, MONITORS);
});

test("C1: libraries and nodes get the responses of earlier versions, and understand them", async (t) => {
  await testClients(t, LIBRARIES);
});

async function testClients(t: TestContext, clients: readonly RecordedClient[]): Promise<void> {
  const fixture = await setUp(t);
  for (const client of clients) {
    for (const name of CLIENT_CASES) {
      await t.test(`${client.name}: ${name}`, () => testCase(fixture, client, name));
    }
  }
}

type Fixture = Awaited<ReturnType<typeof setUp>>;

/** Signs up Ann with a phone, and Bob without a device. */
async function setUp(t: TestContext) {
  const app: TestApp = await startApp(t);
  const ann = await signUp(app, "Ann");
  const bob = await signUp(app, "Bob");
  const { phone } = await addDevice(app, ann);
  return { app, ann, bob, phone };
}

async function testCase(fixture: Fixture, client: RecordedClient, name: ClientCase): Promise<void> {
  const expected = { ...USUAL_OUTCOMES, ...client.unusualOutcomes }[name];
  const request = client.createRequest({ ...MESSAGES[name], key: selectKey(fixture, name) });
  if (request === null) {
    assert.equal(expected, "refused");
    return;
  }
  const startedAtMs = performance.now();
  const response = await requestJson(fixture.app.url, request);
  assert.ok(performance.now() - startedAtMs < client.timeoutMs);
  assert.equal(client.readResponse(response), expected);
  if (name === "wrongKey") assert.match(response.text, /Invalid API key/);
  assert.equal(response.status, name === "wrongKey" ? 401 : 200);
  // A request that asks nobody to act gets the same response as from earlier versions, byte for byte.
  assertEarlierResponse(response, name);
  if (name !== "noDevice" && name !== "wrongKey") await assertArrival(fixture, request);
}

function selectKey({ ann, bob }: Fixture, name: ClientCase): string {
  if (name === "wrongKey") return randomUUID();
  return name === "noDevice" ? bob.key : ann.key;
}

/** Asserts that the device shows the text, shortened if it is long, and that the feed has all of it. */
async function assertArrival({ phone, ann }: Fixture, request: TestRequest): Promise<void> {
  const { title, body } = parseNotification(request);
  const { notification } = JSON.parse((await phone.next()).text);
  // A browser notification must have a title: an empty one becomes the product's name.
  assert.equal(notification.title, title === "" ? "Tocsin" : title);
  assert.equal(notification.body.slice(0, 500), body.slice(0, 500));
  const [entry] = (await ann.client.feed.list({ limit: 1 })).items;
  assert.deepEqual([entry?.title, entry?.body], [title, body]);
}

function parseNotification({ path, body }: TestRequest): {
  readonly title: string;
  readonly body: string;
} {
  if (typeof body === "string") return JSON.parse(body);
  const query = new URL(path, "http://x").searchParams;
  return { title: query.get("title") ?? "", body: query.get("body") ?? "" };
}
