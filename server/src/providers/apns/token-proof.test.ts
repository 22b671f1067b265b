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

/** Returns functions that start requests, and answer them one by one. */
function setUp(proof: TokenProof) {
  const pending: ((token: ApnsJudgement["token"]) => void)[] = [];
  const request = async (authorization: string): Promise<ApnsJudgement["token"]> => {
    const judgement = await proof.run(authorization, async () => {
      const { promise, resolve } = Promise.withResolvers<ApnsJudgement>();
      pending.push((token) => resolve(judgementOn(token)));
      return promise;
    });
    return judgement.token;
  };
  const answerNext = (token: ApnsJudgement["token"]): void => pending.shift()?.(token);
  const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { pending, request, answerNext, settle };
}

test("requests with a new token wait until a first one is accepted", async () => {
  const { pending, request, answerNext, settle } = setUp(new TokenProof());
  const requests = Array.from({ length: 5 }, async () => request("a"));
  await settle();
  assert.equal(pending.length, 1);
  answerNext("taken");
  await settle();
  assert.equal(pending.length, 4);
  while (pending.length > 0) answerNext("taken");
  assert.deepEqual(
    await Promise.all(requests),
    Array.from({ length: 5 }, () => "taken"),
  );
  const later = [request("a"), request("a")];
  assert.equal(pending.length, 2);
  while (pending.length > 0) answerNext("taken");
  await Promise.all(later);
});

test("waiting requests are not sent if the first one's token is refused", async () => {
  const { pending, request, answerNext, settle } = setUp(new TokenProof());
  const requests = Array.from({ length: 5 }, async () => request("a"));
  answerNext("refused");
  assert.deepEqual(
    await Promise.all(requests),
    Array.from({ length: 5 }, () => "refused"),
  );
  assert.equal(pending.length, 0);
  const again = request("a");
  await settle();
  assert.equal(pending.length, 1);
  answerNext("taken");
  assert.equal(await again, "taken");
});

test("a token stays unproven after a response without its state", async () => {
  const { pending, request, answerNext, settle } = setUp(new TokenProof());
  const requests = Array.from({ length: 3 }, async () => request("a"));
  answerNext("unknown");
  await settle();
  assert.equal(pending.length, 2);
  while (pending.length > 0) answerNext("unknown");
  await Promise.all(requests);
  const next = [request("a"), request("a")];
  await settle();
  assert.equal(pending.length, 1);
  answerNext("taken");
  await settle();
  answerNext("taken");
  await Promise.all(next);
});

test("another token is proven separately, without a wait for the old one", async () => {
  const { pending, request, answerNext, settle } = setUp(new TokenProof());
  const old = request("a");
  const renewed = [request("b"), request("b")];
  await settle();
  assert.equal(pending.length, 2);
  answerNext("taken");
  assert.equal(await old, "taken");
  assert.equal(pending.length, 1);
  answerNext("taken");
  await settle();
  answerNext("taken");
  await Promise.all(renewed);
});

test("a token that is refused later must be proven again", async () => {
  const { pending, request, answerNext, settle } = setUp(new TokenProof());
  const first = request("a");
  answerNext("taken");
  await first;
  const revoked = request("a");
  answerNext("refused");
  await revoked;
  const next = [request("a"), request("a")];
  await settle();
  assert.equal(pending.length, 1);
  answerNext("refused");
  await Promise.all(next);
});
