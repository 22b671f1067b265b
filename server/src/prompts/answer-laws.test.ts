import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { PromptState } from "@tocsin/sdk";
import { SERVER } from "#audit/event.ts";
import { CallbackSender } from "#callbacks/callback-sender.ts";
import { createSecret } from "#callbacks/store/secrets.ts";
import { AppError } from "#errors.ts";
import { listEntries } from "#incidents/store/events.ts";
import { startConnections, startReceiver } from "../../test/support/callback-fixture.ts";
import { eventually } from "../../test/support/eventually.ts";
import { startIncidentNodes, type IncidentBench } from "../../test/support/incident-bench.ts";
import { answer, ask, insertTeam } from "../../test/support/prompt-bench.ts";
import { readTimerPage } from "#timers/store.ts";
import { getPromptState } from "./prompt.ts";
import { findDecisive } from "./response.ts";

const NODE_COUNT = 3;
const PEOPLE_COUNT = 50;
/** A campaign sets the variable, for many more repetitions. */
const PROMPT_COUNT = process.env["TOCSIN_TEST_LONG_LAWS"] === undefined ? 4 : 200;

type Nodes = readonly [IncidentBench, ...IncidentBench[]];

function pickNode(nodes: Nodes, index: number): IncidentBench {
  return nodes[index % nodes.length] ?? nodes[0];
}

/** Starts nodes with a team of people, and a receiver that verifies the calls about prompts to the team. */
async function startTeam(t: TestContext, memberCount: number) {
  const nodes = await startIncidentNodes(t, NODE_COUNT);
  const [{ context, accountId: sourceId }] = nodes;
  const { teamId, memberIds } = await insertTeam(context, memberCount);
  const receiver = await startReceiver(t, { now: context.now });
  receiver.secrets.push(await createSecret(context, sourceId));
  const { send } = startConnections(t, { allowOrigins: [receiver.origin] });
  const sender = new CallbackSender({ context, send, publishDue() {}, onResult() {} });
  t.after(() => sender.stop());
  const audience = { kind: "team", teamId } as const;
  const options = { audience, callbackUrl: `${receiver.origin}/answered` };
  return { nodes, memberIds, receiver, sender, options };
}

/** Waits for `count` calls, and returns their bodies. Each call must be signed, and have its own `webhook-id`. */
async function readCalls(
  { receiver, sender }: Pick<Awaited<ReturnType<typeof startTeam>>, "receiver" | "sender">,
  count: number,
) {
  sender.start();
  await eventually(
    async () => receiver.calls.length,
    (length) => length >= count,
  );
  await sender.stop();
  assert.equal(receiver.calls.length, count);
  assert.equal(new Set(receiver.calls.map(({ headers }) => headers["webhook-id"])).size, count);
  return receiver.calls.map(({ acceptedSecrets, body }) => {
    assert.deepEqual(acceptedSecrets, receiver.secrets);
    // The receiver has verified the body, which the server wrote.
    return JSON.parse(body) as {
      readonly type: string;
      readonly data: { readonly promptId: string; readonly answer: { readonly choice: string } };
    };
  });
}

/** Gives an answer. Returns `won`, `unchanged`, or the message of the refusal. */
async function tryAnswer(
  node: IncidentBench,
  input: Parameters<typeof answer>[1],
): Promise<string> {
  try {
    const result = await answer(node, input);
    return result?.isChanged === true ? "won" : "unchanged";
  } catch (error) {
    if (error instanceof AppError && error.code === "prompt_closed") return error.message;
    throw error;
  }
}

// The parts of law W1 of docs/promises.md.
test("W1: of fifty people who answer concurrently on three nodes, one wins, and one call reports the answer", async (t) => {
  const team = await startTeam(t, PEOPLE_COUNT);
  const { nodes, memberIds, options } = team;
  const choices = ["yes", "no"];
  const won = new Map<string, string>();
  for (let count = 0; count < PROMPT_COUNT; count += 1) {
    const promptId = await ask(pickNode(nodes, count), options);
    const givenChoices = memberIds.map((_, index) => choices[index % 2] ?? "yes");
    const results = await Promise.all(
      memberIds.map((accountId, index) =>
        tryAnswer(pickNode(nodes, index), { promptId, accountId, text: givenChoices[index] ?? "" }),
      ),
    );
    const winners = results.flatMap((result, index) => (result === "won" ? [index] : []));
    assert.equal(winners.length, 1);
    const [winner = -1] = winners;
    const text = givenChoices[winner] ?? "";
    const refusals = new Set(results.filter((result) => result !== "won"));
    assert.match([...refusals].join("\n"), new RegExp(`^\\S+ answered first, at \\S+: ${text}$`));
    const prompt = await nodes[0].prompts.find(promptId);
    assert.deepEqual(
      prompt?.answers.map(({ accountId }) => accountId),
      [memberIds[winner]],
    );
    const answered = (await listEntries(nodes[0].context, promptId)).filter(
      ({ kind }) => kind === "answered",
    );
    assert.deepEqual(
      answered.map(({ accountId }) => accountId),
      [memberIds[winner]],
    );
    won.set(promptId, text);
  }
  const calls = await readCalls(team, PROMPT_COUNT);
  assert.ok(calls.every(({ type }) => type === "prompt.answered"));
  const reportedChoices = new Map(
    calls.map(({ data }) => [data.promptId, data.answer.choice] as const),
  );
  assert.deepEqual(
    reportedChoices,
    new Map([...reportedChoices.keys()].map((id) => [id, won.get(id)])),
  );
});

/** Lets all members change their minds at random until the prompt is closed. */
async function voteUntilClosed(
  nodes: Nodes,
  { promptId, memberIds }: { readonly promptId: string; readonly memberIds: readonly string[] },
): Promise<void> {
  const choices = ["yes", "no", "later"];
  for (let round = 0; ; round += 1) {
    const votes = memberIds.map((accountId, index) => {
      const text = choices[Math.floor(Math.random() * choices.length)] ?? "yes";
      return tryAnswer(pickNode(nodes, index + round), { promptId, accountId, text });
    });
    const results = await Promise.all(votes);
    if (results.some((result) => result !== "won" && result !== "unchanged")) return;
    const prompt = await nodes[0].prompts.find(promptId);
    if (prompt?.state !== "open") return;
  }
}

test("W1: a prompt ends when three of five agree, and one call reports it; each has one answer, which may change", async (t) => {
  const team = await startTeam(t, 5);
  const { nodes, memberIds, options } = team;
  for (let count = 0; count < PROMPT_COUNT; count += 1) {
    const choices = ["yes", "no", "later"];
    const promptId = await ask(pickNode(nodes, count), { ...options, choices, answersNeeded: 3 });
    await voteUntilClosed(nodes, { promptId, memberIds });
    const prompt = await nodes[0].prompts.find(promptId);
    assert.ok(prompt !== null);
    assert.equal(prompt.state, "answered");
    assert.equal(
      new Set(prompt.answers.map(({ accountId }) => accountId)).size,
      prompt.answers.length,
    );
    const agreeing = prompt.answers.filter(({ choice }) => choice === prompt.answer?.choice);
    // The third agreeing answer ends the prompt: no answer comes after it.
    assert.equal(agreeing.length, 3);
    const endedAt = prompt.incident.closing?.at ?? -1;
    assert.ok(prompt.answers.every(({ at }) => at <= endedAt));
    assert.equal(findDecisive(prompt)?.choice, prompt.answer?.choice);
    // Everybody in the history has an answer that counts: none was lost.
    const entries = await listEntries(nodes[0].context, promptId);
    const authors = entries.filter(({ kind }) => kind === "answered").map((one) => one.accountId);
    assert.equal(authors.at(-1), prompt.incident.closing?.accountId);
    assert.deepEqual(new Set(authors), new Set(prompt.answers.map((one) => one.accountId)));
  }
  const calls = await readCalls(team, PROMPT_COUNT);
  assert.equal(new Set(calls.map(({ data }) => data.promptId)).size, PROMPT_COUNT);
});

async function readTimers({ context }: IncidentBench, promptId: string) {
  const { timers } = await readTimerPage(context, { kinds: ["prompt_expire"], max: 64 });
  return timers.filter(({ subjectId }) => subjectId === promptId);
}

/** Resolves after a random number of turns of the event loop, so that several acts occur in every order. */
async function waitRandomTurns(): Promise<void> {
  for (let turn = Math.random() * 20; turn > 1; turn -= 1) await setImmediate();
}

/** The calls about a prompt in each state. */
const CALLS: Readonly<Record<PromptState, readonly string[]>> = {
  open: [],
  answered: ["prompt.answered"],
  expired: ["prompt.expired"],
  cancelled: [],
};

test("W1: of a concurrent answer, cancellation and expiry of a prompt, one wins", async (t) => {
  const { nodes, memberIds, options } = await startTeam(t, 1);
  const [first, second = first, third = first] = nodes;
  const [accountId = ""] = memberIds;
  const { db } = first.context.database;
  for (let count = 0; count < 8 * PROMPT_COUNT; count += 1) {
    const promptId = await ask(pickNode(nodes, count), options);
    const [timer = assert.fail()] = await readTimers(first, promptId);
    const acts = [
      () => tryAnswer(first, { promptId, accountId, text: "yes" }),
      () => second.prompts.cancel(promptId, SERVER),
      () => third.fire(timer),
    ];
    const begun = acts.map(async (act) => {
      await waitRandomTurns();
      await act();
    });
    await Promise.all(begun);
    const prompt = (await first.prompts.find(promptId)) ?? assert.fail();
    const { state, answer: decisive, answers, incident } = prompt;
    assert.equal(getPromptState(incident), state);
    const isAnswered = state === "answered";
    assert.deepEqual([decisive !== null, answers.length], [isAnswered, isAnswered ? 1 : 0]);
    const entries = await listEntries(first.context, promptId);
    const ends = entries.filter(({ kind }) => kind === "answered" || kind === "resolved");
    assert.deepEqual(
      ends.map(({ kind, at }) => [kind, at]),
      [[isAnswered ? "answered" : "resolved", incident.closing?.at]],
    );
    const calls = db.selectFrom("callback").select("event").where("subject_id", "=", promptId);
    assert.deepEqual(
      (await calls.execute()).map(({ event }) => event),
      CALLS[state],
    );
    assert.deepEqual(await readTimers(first, promptId), []);
  }
});
