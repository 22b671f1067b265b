import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { findPushoverClient } from "../../../scripts/pushover-client.ts";
import { requestJson } from "../contract/http-requests.ts";
import { addDevice, signUp, startApp } from "../support/app.ts";
import { runProgram, throwInCi } from "../support/program.ts";
import { PUSHOVER_SENDERS } from "./pushover-senders.ts";

/**
 * Calls every function of the client that the server supports, and prints what the client understood of each response.
 * Replaces the constant in which the client has the address of Pushover.
 */
const SEND = `
import io, sys
from pushover_complete import PushoverAPI, BadAPIRequestError, pushover_api

url, token, user = sys.argv[1:]
pushover_api.PUSHOVER_API_URL = url + "/1/"
client = PushoverAPI(token)

def show(call):
    try:
        answer = call()
        print(answer["status"], "receipt" in answer, answer.get("devices"))
    except BadAPIRequestError as error:
        print(error)

show(lambda: client.send_message(user, "Offen\\n42 cm", title="Tür", url="https://a.example/", priority=1, ttl=60))
show(lambda: client.send_message(user, "<b>Foto</b>", html=1, image=io.BytesIO(b"\\xff\\xd8" * 500000)))
show(lambda: client.send_message(user, "Feuer", priority=2, retry=30, expire=3600))
show(lambda: client.send_message(user, "Feuer", priority=2))
for answer in client.send_messages([{"user": user, "message": "a"}, {"user": user, "message": "b"}]):
    show(lambda: answer)
show(lambda: client.validate(user))
show(lambda: client.validate("u" * 30))
show(lambda: PushoverAPI("a" * 30).send_message(user, "m"))
`;

const UNDERSTOOD = `1 False None
1 False None
1 True None
400: retry must be supplied with priority=2
1 False None
1 False None
1 False ['phone']
400: user identifier is not a valid user or group key
400: application token is invalid
`;

async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone, device } = await addDevice(app, ann);
  await ann.client.devices.update(device.id, { name: "phone" });
  const { key, userKey } = await ann.client.keys.create({ kind: "account", dialect: "pushover" });
  const credentials = { token: key, user: userKey ?? assert.fail("The key has no user key.") };
  return { app, ann, phone, credentials };
}

test("pushover_complete sends, and reads every response and error", async (t) => {
  const python = findPushoverClient();
  if (python === null)
    return t.skip(throwInCi("needs a client of Pushover: npm run pushover-client"));
  const { app, ann, credentials } = await setUp(t);
  const args = ["-c", SEND, app.url, credentials.token, credentials.user];
  const { code, stdout, stderr } = await runProgram(python, args);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, UNDERSTOOD);
  const { items } = await ann.client.feed.list();
  const shown = items.map(({ title, body, priority }) => `${title}|${body}|${priority}`);
  assert.deepEqual(shown.toReversed(), [
    "Tür|Offen\n42 cm|high",
    "|Foto|normal",
    "|Feuer|emergency",
    "|a|normal",
    "|b|normal",
  ]);
});

for (const { program, source, createRequest, expected } of PUSHOVER_SENDERS) {
  test(`the request of ${program} is accepted (${source})`, async (t) => {
    const { app, ann, phone, credentials } = await setUp(t);
    const request = { method: "POST", ...createRequest(credentials) };
    const { status, text } = await requestJson(app.url, request);
    assert.equal(status, 200, text);
    const { notification } = JSON.parse((await phone.next()).text);
    const [item] = (await ann.client.feed.list()).items;
    const { title, body, priority, link } = item ?? assert.fail("nothing arrived");
    assert.deepEqual({ title, body, priority, link }, { link: null, ...expected });
    assert.equal(notification.title, title);
  });
}
