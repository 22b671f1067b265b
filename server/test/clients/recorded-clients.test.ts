import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { addDevice, signUp, startApp, type TestApp } from "../support/app.ts";
import { ask, type Question } from "../contract/ask.ts";
import { LIBRARIES } from "./libraries.ts";
import { MONITORS } from "./monitors.ts";
import { CASES, USUAL, type Case, type RecordedClient, type Sending } from "./recorded-client.ts";

/** A client must be ready for everything that people name their things. */
const TITLE = 'Disk "/var" <97 %> & more';
const BODY = "All of it:\n\t12 GB \u00fc \u{1f514}";
const LONG = "A line of a log, as a monitor sends it.\n".repeat(500);

const TEXTS: Readonly<Record<Case, Omit<Sending, "key">>> = {
  success: { title: TITLE, body: BODY },
  noDevice: { title: TITLE, body: BODY },
  wrongKey: { title: TITLE, body: BODY },
  emptyTitle: { title: "", body: BODY },
  longText: { title: TITLE, body: LONG },
};

assert.equal(LONG.length, 20_000);

test("every recorded client has a name of its own", () => {
  const names = [...MONITORS, ...LIBRARIES].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test("the requests of monitors and scripts are taken, and they understand the answer", async (t) => {
  await tryClients(t, MONITORS);
});

test("the requests of libraries and nodes are taken, and they understand the answer", async (t) => {
  await tryClients(t, LIBRARIES);
});

async function tryClients(t: TestContext, clients: readonly RecordedClient[]): Promise<void> {
  const stage = await setStage(t);
  for (const client of clients) {
    for (const name of CASES) {
      await t.test(`${client.name}: ${name}`, () => tryCase(stage, client, name));
    }
  }
}

type Stage = Awaited<ReturnType<typeof setStage>>;

/** Ann has a phone, and Bob has none. */
async function setStage(t: TestContext) {
  const app: TestApp = await startApp(t);
  const [ann, bob] = [await signUp(app, "Ann"), await signUp(app, "Bob")];
  const { phone } = await addDevice(app, ann);
  return { app, ann, bob, phone };
}

async function tryCase(stage: Stage, client: RecordedClient, name: Case): Promise<void> {
  const expected = { ...USUAL, ...client.verdicts }[name];
  const question = client.ask({ ...TEXTS[name], key: keyOf(stage, name) });
  if (question === null) {
    assert.equal(expected, "refused");
    return;
  }
  const begun = performance.now();
  const answer = await ask(stage.app.url, question);
  assert.ok(performance.now() - begun < client.timeoutMs);
  assert.equal(client.judge(answer), expected);
  if (name === "wrongKey") assert.match(answer.text, /Invalid API key/);
  assert.equal(answer.status, name === "wrongKey" ? 401 : 200);
  if (name !== "noDevice" && name !== "wrongKey") await checkArrival(stage, question);
}

function keyOf({ ann, bob }: Stage, name: Case): string {
  if (name === "wrongKey") return randomUUID();
  return name === "noDevice" ? bob.key : ann.key;
}

/** The device shows the text, shortened where it is long, and the feed has all of it. */
async function checkArrival({ phone, ann }: Stage, question: Question): Promise<void> {
  const { title, body } = textOf(question);
  const { notification } = JSON.parse((await phone.next()).text);
  // A notification of a browser must have a title, so that one without gets the server's name.
  assert.equal(notification.title, title === "" ? "Tocsin" : title);
  assert.equal(notification.body.slice(0, 500), body.slice(0, 500));
  const [entry] = (await ann.client.feed.list({ limit: 1 })).items;
  assert.deepEqual([entry?.title, entry?.body], [title, body]);
}

function textOf({ path, body }: Question): { readonly title: string; readonly body: string } {
  if (typeof body === "string") return JSON.parse(body);
  const query = new URL(path, "http://x").searchParams;
  return { title: query.get("title") ?? "", body: query.get("body") ?? "" };
}
