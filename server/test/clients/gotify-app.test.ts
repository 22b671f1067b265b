import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { findGotifyClient } from "../../../scripts/gotify-client.ts";
import { addGotifyApp } from "../support/add-gotify-app.ts";
import { signUp, startApp } from "../support/app.ts";
import { runProgram, throwInCi } from "../support/program.ts";

/**
 * Receives with the synchronous and the asynchronous client, and prints what they understood. Reads two messages from the
 * stream, which it asks a sender for, and then signs out.
 */
const RECEIVE = `
import asyncio, sys
from datetime import datetime
from gotify import AsyncGotify, Gotify, GotifyError

url, app_token, client_token = sys.argv[1:]
client = Gotify(base_url=url, app_token=app_token, client_token=client_token)

def show(message):
    at = datetime.fromisoformat(message["date"])
    print(message["title"], message["message"], message["priority"], message["extras"], at.tzinfo is not None)

print(client.get_version()["version"], client.get_health(), client.get_plugins())
print(client.get_current_user()["name"])
client.create_message("42 GB", title="Backup", priority=9, extras={"home::lamp": {"on": True}})
page = client.get_messages(limit=1)
show(page["messages"][0])
apps = {app["id"]: app for app in client.get_applications()}
app = apps[page["messages"][0]["appid"]]
print(app["name"], app["internal"])
print(len(client.get_messages(app_id=app["id"])["messages"]))

async def receive():
    async with AsyncGotify(base_url=url, app_token=app_token, client_token=client_token) as gotify:
        count = 0
        async def send():
            await asyncio.sleep(2.5)
            for number in ("one", "two"):
                await gotify.create_message(number, title="Stream")
        sending = asyncio.create_task(send())
        async for message in gotify.stream():
            show(message)
            count += 1
            if count == 2:
                break
        await sending

asyncio.run(asyncio.wait_for(receive(), 30))
client.delete_message(client.get_messages()["messages"][0]["id"])
print([message["message"] for message in client.get_messages()["messages"]])
client.delete_messages()
print(client.get_messages()["messages"])
own = [known for known in client.get_clients() if known["token"] == client_token]
print([known["name"] for known in own])
client.delete_client(own[0]["id"])
try:
    client.get_current_user()
except GotifyError as error:
    print(error.response.status_code)
`;

const UNDERSTOOD = `2.9.1 {'health': 'green', 'database': 'green'} []
ann@example.org
Backup 42 GB 9 {'home::lamp': {'on': True}} True
jobs False
1
Stream one 5 {} True
Stream two 5 {} True
['one', '42 GB']
[]
['Desktop']
401
`;

/** Starts a server on which Ann has an API key, and a client that signed in with a code. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const request = { kind: "account", dialect: "gotify", channel: "jobs" } as const;
  const { key } = await ann.client.keys.create(request);
  const token = await addGotifyApp(app, ann);
  return { app, ann, key, token };
}

test("the Python client of Gotify reads lists and its stream, and its sign-out removes the device", async (t) => {
  const python = findGotifyClient();
  if (python === null) return t.skip(throwInCi("needs a client of Gotify: npm run gotify-client"));
  const { app, ann, key, token } = await setUp(t);
  assert.equal((await ann.client.devices.list()).items.length, 1);
  const args = ["-W", "ignore", "-c", RECEIVE, app.url, key, token];
  const { code, stdout, stderr } = await runProgram(python, args);
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.equal(stdout, UNDERSTOOD);
  assert.deepEqual((await ann.client.devices.list()).items, []);
  assert.equal((await ann.client.feed.list()).items.length, 3);
});
