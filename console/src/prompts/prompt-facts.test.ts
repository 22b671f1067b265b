import assert from "node:assert/strict";
import { test } from "node:test";
import { createAnswer, createPrompt } from "./create-prompt.fixture.ts";
import {
  countVotes,
  getAgreement,
  getAnswerText,
  isSendable,
  listDeciders,
  sortByUrgency,
} from "./prompt-facts.ts";

test("each choice has its number of votes, and the agreement is that of the leading choice", () => {
  const own = createAnswer("Ann", { choice: "no" });
  const answers = [
    own,
    createAnswer("Ben", { choice: "no" }),
    createAnswer("Cleo", { choice: "yes" }),
  ];
  const prompt = createPrompt({ answersNeeded: 3, answers, ownAnswer: own });
  assert.deepEqual(countVotes(prompt), [
    { choice: "yes", votes: 1, isOwn: false },
    { choice: "no", votes: 2, isOwn: true },
  ]);
  assert.deepEqual(getAgreement(prompt), { votes: 2, needed: 3 });
  assert.deepEqual(getAgreement(createPrompt({ answersNeeded: 3 })), { votes: 0, needed: 3 });
  assert.equal(getAgreement(createPrompt({ answers })), null);
});

test("people who gave the answer that counted are its deciders", () => {
  const ann = createAnswer("Ann", { choice: "yes" });
  const ben = createAnswer("Ben", { choice: "no" });
  const deleted = createAnswer(null, { choice: "yes" });
  const answers = [ann, ben, deleted];
  assert.deepEqual(listDeciders(createPrompt({ answersNeeded: 2, answers })), []);
  const agreed = createPrompt({ answersNeeded: 2, answers, answer: deleted });
  assert.deepEqual(listDeciders(agreed), ["Ann", null]);
  assert.deepEqual(listDeciders(createPrompt({ answers: [ben], answer: ben })), ["Ben"]);
  const text = createAnswer("Cleo", { text: "later" });
  const answeredByText = createPrompt({
    answersNeeded: 2,
    answers: [...answers, text],
    answer: text,
  });
  assert.deepEqual(listDeciders(answeredByText), ["Cleo"]);
  assert.equal(getAnswerText(text), "later");
});

test("a text that is blank or too long cannot be sent", () => {
  assert.equal(isSendable(" \n\t", 10), false);
  assert.equal(isSendable(" 0123456789 ", 10), true);
  assert.equal(isSendable("0123456789x", 10), false);
  // Lengths count characters, as the server does.
  assert.equal(isSendable("🚀".repeat(10), 10), true);
});

test("ringing prompts are first, then the oldest ones", () => {
  const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
  const prompts = [
    createPrompt({ id: "newer", createdAt: at(2) }),
    createPrompt({ id: "older", createdAt: at(1) }),
    createPrompt({ id: "ringing", createdAt: at(3), priority: "emergency" }),
  ];
  assert.deepEqual(
    sortByUrgency(prompts).map(({ id }) => id),
    ["ringing", "older", "newer"],
  );
});
