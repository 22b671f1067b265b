import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { decodeJwt } from "jose";
import { addDevice, signUp, startApp } from "../../test/support/app.ts";

/**
 * Sends to a browser of the first administrator, on a server with this contact, and returns the contact that its push
 * service received.
 */
async function findReceivedContact(t: TestContext, subject: string): Promise<unknown> {
  const environment = { TOCSIN_VAPID_SUBJECT: subject };
  const fixture = await startApp(t, { environment });
  const link = new URL((await fixture.app.createSetUpLink()) ?? "");
  const token = new URLSearchParams(link.hash.slice(1)).get("token") ?? "";
  const ann = await signUp(fixture, "Ann", token);
  const { phone } = await addDevice(fixture, ann);
  const { responses } = await ann.client.notify({ title: "Hello", body: "World" });
  assert.deepEqual(
    responses?.map(({ success }) => success),
    [true],
  );
  const { authorization = "" } = phone.requests[0]?.headers ?? {};
  return decodeJwt(/t=(?<token>[^,]+)/.exec(authorization)?.groups?.["token"] ?? "").sub;
}

test("push services receive the first administrator's address if no contact is configured", async (t) => {
  assert.equal(await findReceivedContact(t, ""), "mailto:ann@example.org");
});

test("a configured contact replaces the administrator's address", async (t) => {
  assert.equal(await findReceivedContact(t, "mailto:ops@example.com"), "mailto:ops@example.com");
});
