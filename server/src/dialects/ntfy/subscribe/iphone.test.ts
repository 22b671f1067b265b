import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test, { type TestContext } from "node:test";
import { addNtfyApp } from "../../../../test/support/add-app.ts";
import { signUp, startApp } from "../../../../test/support/app.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { NtfyUpstream } from "../../../../test/doubles/ntfy-upstream.ts";

const BASE_URL = "https://push.example.org";
const IPHONE = "ntfy/1.6 (build 12; iOS 18.1)";
const ANDROID = "ntfy/1.17.8 (play; Android 15; SDK 35)";

async function startWithUpstream(t: TestContext) {
  const upstream = new NtfyUpstream();
  const environment = {
    TOCSIN_BASE_URL: BASE_URL,
    TOCSIN_NTFY_UPSTREAM: await upstream.start(t),
  };
  const app = await startApp(t, { environment });
  const ann = await signUp(app, "Ann");
  const added = await addNtfyApp(app, ann);
  const poll = async (userAgent: string, query = "") => {
    const url = `${app.url}/${added.topic}/json?poll=1${query}`;
    const headers = { authorization: `Bearer ${added.secret}`, "user-agent": userAgent };
    const response = await fetch(url, { headers });
    assert.equal(response.status, 200);
    const lines = (await response.text()).split("\n").filter((line) => line !== "");
    return lines.map(
      (line) => JSON.parse(line) as { readonly id: string; readonly message: string },
    );
  };
  const send = async () => {
    const { notificationId } = await ann.client.notify({ title: "Deploy", body: "done" });
    return notificationId ?? assert.fail();
  };
  const findDelivery = async (id: string) => (await ann.client.feed.deliveries(id)).items.at(0);
  return { upstream, added, poll, send, findDelivery };
}

test("an iPhone is woken for a notification, fetches it by its id, and the log says both", async (t) => {
  const { upstream, added, poll, send, findDelivery } = await startWithUpstream(t);
  await poll(IPHONE);
  const id = await send();
  const held = await eventually(
    () => findDelivery(id),
    (delivery) => delivery?.state === "held",
  );
  assert.match(held?.message ?? "", /127\.0\.0\.1:\d+ was asked to wake the phone\. Kept until/);
  const hash = createHash("sha256").update(`${BASE_URL}/${added.topic}`).digest("hex");
  assert.deepEqual(upstream.requests, [{ hash, pollId: id, authorization: null }]);
  const messages = await poll(IPHONE, `&id=${id}`);
  assert.deepEqual(
    messages.map((message) => [message.id, message.message]),
    [[id, "done"]],
  );
  const fetched = await eventually(
    () => findDelivery(id),
    (delivery) => delivery?.state === "accepted",
  );
  assert.equal(fetched?.proof?.how, "fetched");
  assert.equal(upstream.requests.length, 1);
});

test("the log says why an iPhone could not be woken, and its notification waits", async (t) => {
  const { upstream, poll, send, findDelivery } = await startWithUpstream(t);
  await poll(IPHONE);
  upstream.status = 429;
  const id = await send();
  const held = await eventually(
    () => findDelivery(id),
    (delivery) => delivery?.state === "held",
  );
  assert.match(
    held?.message ?? "",
    /could not be asked to wake the phone: it takes no more requests today \(429\)\. Kept until/,
  );
  assert.equal((await poll(IPHONE)).length, 1);
});

test("no phone is woken before its app has named itself one for iPhones", async (t) => {
  const { upstream, poll, send, findDelivery } = await startWithUpstream(t);
  await poll(ANDROID);
  const id = await send();
  const held = await eventually(
    () => findDelivery(id),
    (delivery) => delivery?.state === "held",
  );
  assert.doesNotMatch(held?.message ?? "", /wake/);
  assert.deepEqual(upstream.requests, []);
});
