import assert from "node:assert/strict";
import test from "node:test";
import { TocsinConnectionError, type Client, type IncidentReceipt } from "@tocsin/sdk";
import { waitForAct } from "./wait-for-act.ts";

const REFUSED_CONNECTION = {
  operation: "receipts.get",
  host: "push.example.org",
  isTimeout: false,
  cause: new Error("connect ECONNREFUSED"),
};

test("a server that restarts at the first request does not end the wait", async () => {
  const receipt = { state: "acknowledged" } as IncidentReceipt;
  const responses = [
    () => Promise.reject(new TocsinConnectionError(REFUSED_CONNECTION)),
    () => Promise.resolve(receipt),
  ];
  const receipts = { get: () => responses.shift()?.() } as unknown as Client["receipts"];
  assert.equal(await waitForAct({ receipts }, { id: "one", waitSeconds: 60 }), receipt);
});
