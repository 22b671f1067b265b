import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApnsInterpretation } from "./interpret-response.ts";
import { TokenProof } from "./token-proof.ts";

function createInterpretation(tokenState: ApnsInterpretation["tokenState"]): ApnsInterpretation {
  return {
    outcome: { kind: "accepted", receipt: null },
    remedy: null,
    shouldRetireConnection: false,
    tokenState,
  };
}

/** Returns functions that start requests, and respond to them one by one. */
function setUp(proof: TokenProof) {
  const pending: ((tokenState: ApnsInterpretation["tokenState"]) => void)[] = [];
  const request = async (authorization: string): Promise<ApnsInterpretation["tokenState"]> => {
    const interpretation = await proof.send(authorization, async () => {
      const { promise, resolve } = Promise.withResolvers<ApnsInterpretation>();
      pending.push((tokenState) => resolve(createInterpretation(tokenState)));
      return promise;
    });
    return interpretation.tokenState;
  };
  const respondNext = (tokenState: ApnsInterpretation["tokenState"]): void =>
    pending.shift()?.(tokenState);
  const waitForTurn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { pending, request, respondNext, waitForTurn };
}

test("requests with a new token wait until a first one is accepted", async () => {
  const { pending, request, respondNext, waitForTurn } = setUp(new TokenProof());
  const requests = Array.from({ length: 5 }, async () => request("a"));
  await waitForTurn();
  assert.equal(pending.length, 1);
  respondNext("accepted");
  await waitForTurn();
  assert.equal(pending.length, 4);
  while (pending.length > 0) respondNext("accepted");
  assert.deepEqual(
    await Promise.all(requests),
    Array.from({ length: 5 }, () => "accepted"),
  );
  const laterRequests = [request("a"), request("a")];
  assert.equal(pending.length, 2);
  while (pending.length > 0) respondNext("accepted");
  await Promise.all(laterRequests);
});

test("waiting requests are not sent if the first one's token is refused", async () => {
  const { pending, request, respondNext, waitForTurn } = setUp(new TokenProof());
  const requests = Array.from({ length: 5 }, async () => request("a"));
  respondNext("refused");
  assert.deepEqual(
    await Promise.all(requests),
    Array.from({ length: 5 }, () => "refused"),
  );
  assert.equal(pending.length, 0);
  const again = request("a");
  await waitForTurn();
  assert.equal(pending.length, 1);
  respondNext("accepted");
  assert.equal(await again, "accepted");
});

test("a token stays unproven after a response without its state", async () => {
  const { pending, request, respondNext, waitForTurn } = setUp(new TokenProof());
  const requests = Array.from({ length: 3 }, async () => request("a"));
  respondNext("unknown");
  await waitForTurn();
  assert.equal(pending.length, 2);
  while (pending.length > 0) respondNext("unknown");
  await Promise.all(requests);
  const next = [request("a"), request("a")];
  await waitForTurn();
  assert.equal(pending.length, 1);
  respondNext("accepted");
  await waitForTurn();
  respondNext("accepted");
  await Promise.all(next);
});

test("another token is proven separately, without a wait for the old one", async () => {
  const { pending, request, respondNext, waitForTurn } = setUp(new TokenProof());
  const oldTokenRequest = request("a");
  const renewed = [request("b"), request("b")];
  await waitForTurn();
  assert.equal(pending.length, 2);
  respondNext("accepted");
  assert.equal(await oldTokenRequest, "accepted");
  assert.equal(pending.length, 1);
  respondNext("accepted");
  await waitForTurn();
  respondNext("accepted");
  await Promise.all(renewed);
});

test("a token that is refused later must be proven again", async () => {
  const { pending, request, respondNext, waitForTurn } = setUp(new TokenProof());
  const firstRequest = request("a");
  respondNext("accepted");
  await firstRequest;
  const revoked = request("a");
  respondNext("refused");
  await revoked;
  const next = [request("a"), request("a")];
  await waitForTurn();
  assert.equal(pending.length, 1);
  respondNext("refused");
  await Promise.all(next);
});
