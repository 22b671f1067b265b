import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApnsJudgement } from "./answer.ts";
import { TokenProof } from "./token-proof.ts";

function judgementOn(token: ApnsJudgement["token"]): ApnsJudgement {
  return {
    outcome: { kind: "accepted", receipt: null },
    remedy: null,
    isConnectionSpent: false,
    token,
  };
}

/** Makes requests whose answers the test gives by hand. */
function deskOf(proof: TokenProof) {
  const open: ((token: ApnsJudgement["token"]) => void)[] = [];
  const ask = async (authorization: string): Promise<ApnsJudgement["token"]> => {
    const judgement = await proof.ask(authorization, async () => {
      const { promise, resolve } = Promise.withResolvers<ApnsJudgement>();
      open.push((token) => resolve(judgementOn(token)));
      return promise;
    });
    return judgement.token;
  };
  const answerNext = (token: ApnsJudgement["token"]): void => open.shift()?.(token);
  const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { open, ask, answerNext, settle };
}

test("one goes ahead with a new token, and the others follow once it was taken", async () => {
  const { open, ask, answerNext, settle } = deskOf(new TokenProof());
  const asked = Array.from({ length: 5 }, async () => ask("a"));
  await settle();
  assert.equal(open.length, 1);
  answerNext("taken");
  await settle();
  assert.equal(open.length, 4);
  while (open.length > 0) answerNext("taken");
  assert.deepEqual(
    await Promise.all(asked),
    Array.from({ length: 5 }, () => "taken"),
  );
  const later = [ask("a"), ask("a")];
  assert.equal(open.length, 2);
  while (open.length > 0) answerNext("taken");
  await Promise.all(later);
});

test("where the token of the one ahead is refused, the others are not sent", async () => {
  const { open, ask, answerNext, settle } = deskOf(new TokenProof());
  const asked = Array.from({ length: 5 }, async () => ask("a"));
  answerNext("refused");
  assert.deepEqual(
    await Promise.all(asked),
    Array.from({ length: 5 }, () => "refused"),
  );
  assert.equal(open.length, 0);
  const again = ask("a");
  await settle();
  assert.equal(open.length, 1);
  answerNext("taken");
  assert.equal(await again, "taken");
});

test("where the one ahead learns nothing, the others go, and the token stays unproven", async () => {
  const { open, ask, answerNext, settle } = deskOf(new TokenProof());
  const asked = Array.from({ length: 3 }, async () => ask("a"));
  answerNext("unknown");
  await settle();
  assert.equal(open.length, 2);
  while (open.length > 0) answerNext("unknown");
  await Promise.all(asked);
  const next = [ask("a"), ask("a")];
  await settle();
  assert.equal(open.length, 1);
  answerNext("taken");
  await settle();
  answerNext("taken");
  await Promise.all(next);
});

test("another token is proven anew, and does not wait for the one before", async () => {
  const { open, ask, answerNext, settle } = deskOf(new TokenProof());
  const old = ask("a");
  const renewed = [ask("b"), ask("b")];
  await settle();
  assert.equal(open.length, 2);
  answerNext("taken");
  assert.equal(await old, "taken");
  assert.equal(open.length, 1);
  answerNext("taken");
  await settle();
  answerNext("taken");
  await Promise.all(renewed);
});

test("a token that is refused later must prove itself again", async () => {
  const { open, ask, answerNext, settle } = deskOf(new TokenProof());
  const first = ask("a");
  answerNext("taken");
  await first;
  const revoked = ask("a");
  answerNext("refused");
  await revoked;
  const next = [ask("a"), ask("a")];
  await settle();
  assert.equal(open.length, 1);
  answerNext("refused");
  await Promise.all(next);
});
