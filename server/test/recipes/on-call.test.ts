import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { addDevice, signUp, startApp, type TestApp } from "../support/app.ts";
import { addMember } from "../support/team-members.ts";
import { isInstalledOrSkip, runProgram } from "../support/program.ts";
import { findBlock } from "./page.ts";

const POLICY = findBlock("on-call.md", "sh", "escalation-policies");
const ALARM = findBlock("on-call.md", "sh", '"priority":"emergency"');
const ACKNOWLEDGEMENT = findBlock("on-call.md", "sh", "/acknowledge");
const RESOLUTION = findBlock("on-call.md", "sh", '"incidentEvent":"resolve"');

test("the page's alarm rings Ann, then Ben; Ben acknowledges it, and the program resolves it", async (t) => {
  if (!isInstalledOrSkip(t, ["curl", "--version"], "curl")) return;
  if (!isInstalledOrSkip(t, ["jq", "--version"], "jq")) return;
  const { ann, ben, cleo, teamId, key, run } = await startTeam(t);
  await run(POLICY, { ACCESS_TOKEN: ann.token, TEAM_ID: teamId });
  const { items: policies } = await ann.client.escalationPolicies.list();
  assert.deepEqual(
    policies[0]?.steps.map(({ afterSeconds, targets }) => [afterSeconds, targets[0]?.name]),
    [
      [0, "Ann"],
      [300, "Ben"],
      [900, "Shop"],
    ],
  );

  const { incidentId } = await run(ALARM, { TOCSIN_API_KEY: key });
  assert.ok(typeof incidentId === "string");
  assert.equal(await ann.readNextTitle(), "The shop is down");
  const repetition = await run(ALARM, { TOCSIN_API_KEY: key });
  assert.match(String(repetition["message"]), /\(2 times\)\. Nobody was told again\.$/);
  await ann.client.incidents.escalate(incidentId);
  assert.equal(await ben.readNextTitle(), "The shop is down");

  const { incident } = await run(ACKNOWLEDGEMENT, { ACCESS_TOKEN: ben.token });
  assert.equal(Object(incident).state, "acknowledged");
  const { history } = await ann.client.incidents.get(incidentId);
  const acknowledged = history.find(({ kind }) => kind === "acknowledged");
  assert.equal(acknowledged?.detail["note"], "On my way");
  for (const { readNextTitle } of [ann, ben])
    assert.equal(await readNextTitle(), "Acknowledged by Ben");

  const { message } = await run(RESOLUTION, { TOCSIN_API_KEY: key });
  assert.equal(message, "The incident is resolved.");
  for (const { readNextTitle } of [ann, ben])
    assert.equal(await readNextTitle(), "The shop is up again");
  assert.equal(cleo.phone.requests.length, 0);
});

/** Starts a server with the team of the page, and returns its people and a function that runs a block of the page. */
async function startTeam(t: TestContext) {
  const app = await startApp(t);
  const ann = await addPerson(app, "Ann");
  const ben = await addPerson(app, "Ben");
  const cleo = await addPerson(app, "Cleo");
  const { id: teamId, key } = await ann.client.teams.create({ name: "Shop" });
  await addMember(ann, teamId, ben);
  await addMember(ann, teamId, cleo);
  const run = async (block: string, env: Readonly<Record<string, string>>) => {
    const { code, stdout, stderr } = await runProgram("sh", ["-c", block], {
      env: { TOCSIN_URL: app.url, ...env },
    });
    assert.deepEqual([code, stderr], [0, ""]);
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  };
  return { ann, ben, cleo, teamId, key, run };
}

/** Signs up a person with a phone and an access token. */
async function addPerson(app: TestApp, name: string) {
  const person = await signUp(app, name);
  const { phone } = await addDevice(app, person);
  const { token } = await person.client.accessTokens.create({ label: "terminal" });
  const readNextTitle = async () =>
    (JSON.parse((await phone.next()).text) as { notification: { title: string } }).notification
      .title;
  return { ...person, phone, token, readNextTitle };
}
