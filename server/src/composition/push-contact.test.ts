import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { decodeJwt } from "jose";
import { addDevice, signUp, startApp } from "../../test/support/app.ts";

/**
 * Sends to a browser of the first administrator, on a server with this contact, and returns the contact that its push
 * service received.
 */
async function toldContact(t: TestContext, subject: string): Promise<unknown> {
  const environment = { TOCSIN_VAPID_SUBJECT: subject };
  const stage = await startApp(t, { environment });
  const link = new URL((await stage.app.createSetUpLink()) ?? "");
  const ann = await signUp(
    stage,
    "Ann",
    new URLSearchParams(link.hash.slice(1)).get("token") ?? "",
  );
  const { phone } = await addDevice(stage, ann);
  const { responses } = await ann.client.notify({ title: "Hello", body: "World" });
  assert.deepEqual(
    responses?.map(({ success }) => success),
    [true],
  );
  const { authorization = "" } = phone.judged[0]?.headers ?? {};
  return decodeJwt(/t=(?<token>[^,]+)/.exec(authorization)?.groups?.["token"] ?? "").sub;
}

test("where no contact is set, push services are told the first administrator's address", async (t) => {
  assert.equal(await toldContact(t, ""), "mailto:ann@example.org");
});

test("a contact that is set comes before the administrator's address", async (t) => {
  assert.equal(await toldContact(t, "mailto:ops@example.com"), "mailto:ops@example.com");
});
