import assert from "node:assert/strict";
import test from "node:test";
import { insertPausedDevices } from "../contract/insert-paused-devices.ts";
import { signUp, startApp, type TestPerson } from "../support/app.ts";

const PROMPT = { title: "Fail over?", body: "", choices: ["yes", "no"] };
const EMERGENCY = { ...PROMPT, priority: "emergency" } as const;

async function readRinging({ client }: TestPerson): Promise<readonly boolean[]> {
  return (await client.prompts.list()).items.map(({ isRinging }) => isRinging);
}

test("a prompt that is an emergency rings until it is answered, and no other prompt rings", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await insertPausedDevices(app, ann, 1);
  await ann.client.notify({ ...PROMPT, priority: "high" });
  const { promptId = "" } = await ann.client.notify(EMERGENCY);
  assert.deepEqual(await readRinging(ann), [true, false]);
  await ann.client.prompts.answer(promptId, { choice: "yes" });
  assert.deepEqual(await readRinging(ann), [false, false]);
});

test("a prompt to more than 500 devices rings nobody, even as an emergency", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await insertPausedDevices(app, ann, 501);
  await ann.client.notify(EMERGENCY);
  assert.deepEqual(await readRinging(ann), [false]);
});
