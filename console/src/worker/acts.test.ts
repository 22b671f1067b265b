import assert from "node:assert/strict";
import { test } from "node:test";
import { interpretResponse, toActRequest } from "./acts.ts";

const NO_SUBJECT = { incident: null, prompt: null, answer: null };

test("the buttons of an incident are acts, and an unknown button is none", () => {
  const press = (action: string, incident: string | null = "0191") =>
    toActRequest({ ...NO_SUBJECT, action, incident });
  assert.deepEqual(press("ack"), { act: "acknowledge", incidentId: "0191" });
  assert.deepEqual(press("pass"), { act: "escalate", incidentId: "0191" });
  assert.deepEqual(press("again"), { act: "ring_again", incidentId: "0191" });
  for (const action of ["", "yes", "constructor"]) assert.equal(press(action), null, action);
  assert.equal(press("ack", null), null);
});

test("a prompt's button sends the answer that it carries, and a button without an answer is no act", () => {
  const press = (action: string, answer: string | null) =>
    toActRequest({ ...NO_SUBJECT, action, prompt: "0192", answer });
  const request = { act: "answer", promptId: "0192", answer: "yes" };
  for (const action of ["1", "ack", ""]) assert.deepEqual(press(action, "yes"), request);
  assert.equal(press("1", null), null);
});

test("a successful response counts as done only if it has a message from the server", async () => {
  const interpret = (body: unknown, status = 200) =>
    interpretResponse(new Response(JSON.stringify(body), { status }));
  const message = "Ann answered first: yes";
  assert.deepEqual(await interpret({ success: true, message }), { kind: "done", message });
  const createError = (code: string) => ({ success: false, message, error: { code } });
  assert.deepEqual(await interpret(createError("prompt_closed"), 409), { kind: "closed", message });
  const refused = { kind: "refused" };
  assert.deepEqual(await interpret(createError("not_ringing"), 409), refused);
  for (const status of [400, 401, 403, 404, 409]) {
    assert.deepEqual(await interpret(createError("not_found"), status), refused);
    assert.deepEqual(await interpret({ message, error: "prompt_closed" }, status), refused);
    assert.deepEqual(await interpretResponse(new Response("<p>no</p>", { status })), refused);
  }
  const unanswered = { kind: "unanswered" };
  for (const status of [429, 500, 502, 503]) {
    assert.deepEqual(await interpret(createError("internal"), status), unanswered);
  }
  assert.deepEqual(
    await interpretResponse(new Response("<p>Sign in to the network</p>")),
    unanswered,
  );
});
