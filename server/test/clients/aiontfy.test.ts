import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { findNtfyClient } from "../../../scripts/ntfy-client.ts";
import { addNtfyApp } from "../support/add-app.ts";
import { signUp, startApp } from "../support/app.ts";
import { runProgram, throwInCi } from "../support/program.ts";

/**
 * Publishes with Home Assistant's client, which reads every response into fixed types, and passes the fields of an error
 * to a function. Prints what the client understood of each response.
 */
const PUBLISH = `
import asyncio, sys
from aiohttp import ClientSession
from yarl import URL
from aiontfy import BroadcastAction, HttpAction, Message, Ntfy, ViewAction
from aiontfy.exceptions import NtfyException

link = URL("https://a.example/c.jpg")
door = Message(
    topic="home", title="Tür", message="Offen\\n42 cm", tags=["door", "x y"], priority=5, markdown=True,
    click=URL("https://a.example/"), icon=link, attach=link, sequence_id="door",
    actions=[
        ViewAction(label="Open", url=link),
        HttpAction(label="Close", url=link, headers={"a": "b"}, body="x"),
        BroadcastAction(label="Photo"),
    ],
)

async def publish(client, message, attachment=None):
    try:
        sent = await client.publish(message, attachment)
        print(sent.topic, sent.title, len(sent.actions), sent.priority, sep=", ")
    except NtfyException as error:
        print(type(error).__name__, error.code)

async def main(url, key, wrong_key):
    async with ClientSession() as session:
        client = Ntfy(url, session, token=key)
        await publish(client, door)
        await publish(client, Message(topic="home"))
        await publish(client, Message(topic="home", message="Foto", filename="c.jpg"), b"\\xff\\xd8")
        await publish(Ntfy(url, session, username="x", password=key), Message(topic="home", message="Basic"))
        await publish(Ntfy(url, session, token=wrong_key), door)
        await publish(Ntfy(url, session), door)
        await publish(client, Message(topic="message"))
        await publish(client, Message(topic="home", delay="30m"))

asyncio.run(main(*sys.argv[1:]))
`;

const UNDERSTOOD = `home, Tür, 3, 5
home, None, 0, None
home, None, 0, None
home, None, 0, None
NtfyUnauthorizedAuthenticationError 40101
NtfyForbiddenAccessError 40301
NtfyBadRequestTopicDisallowedError 40010
NtfyBadRequestDelayCannotParseError 40004
`;

test("Home Assistant's client understands every response", async (t) => {
  const program = findNtfyClient();
  if (program === null)
    return t.skip(throwInCi("needs Home Assistant's client: npm run ntfy-client"));
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { key } = await ann.client.keys.create({ kind: "account", dialect: "ntfy" });
  const args = ["-c", PUBLISH, app.url, key, randomUUID()];
  const { code, stdout, stderr } = await runProgram(program, args, {
    env: { PYTHONIOENCODING: "utf-8" },
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, UNDERSTOOD);
  const { items } = await ann.client.feed.list();
  assert.deepEqual(items.map(({ title, body, image }) => [title, body, image]).toReversed(), [
    ["🚪 Tür", "Offen\n42 cm", "https://a.example/c.jpg"],
    ["", "triggered", null],
    ["", "Foto\n(not kept: c.jpg)", null],
    ["", "Basic", null],
  ]);
});

/**
 * Sets an integration up and listens like Home Assistant (home-assistant/core: components/ntfy), and prints the events that
 * it understood until the last one.
 */
const SUBSCRIBE = `
import asyncio, sys
from aiohttp import ClientSession
from aiontfy import HttpAction, Message, Ntfy
from aiontfy.exceptions import NtfyException
from yarl import URL

async def main(url, password, topic, key):
    async with ClientSession() as session:
        client = Ntfy(url, session, username="ann", password=password)
        account = await client.account()
        print(account.username, account.role, account.stats.messages, account.stats.emails_remaining)
        token = await client.generate_token("Home Assistant")
        print(token.token[:3], token.label, token.expires)
        client = Ntfy(url, session, token=token.token)
        done = asyncio.Event()
        opened = asyncio.Event()
        def receive(event):
            print(event.event, event.topic == topic, event.title, event.message, event.priority, event.tags,
                  event.click, event.icon, event.attachment and event.attachment.name,
                  [action.label for action in event.actions], event.sequence_id, event.content_type,
                  sep=", ", flush=True)
            if event.event == "open": opened.set()
            if event.message == "last": done.set()
        listening = asyncio.create_task(client.subscribe([topic, "upAbC"], receive))
        await asyncio.wait_for(opened.wait(), 20)
        await client.publish(Message(
            topic="home", title="Tür", message="Offen\\n42 cm", tags=["door"], priority=5, markdown=True, sequence_id="door",
            click=URL("https://a.example/"), icon=URL("https://a.example/i.png"), attach=URL("https://a.example/c.jpg"),
            actions=[HttpAction(label="Close", url=URL("https://a.example/"), headers={"a": "b"})],
        ))
        await client.publish(Message(topic="home", message="last"))
        await asyncio.wait_for(done.wait(), 20)
        listening.cancel()
        for wrong in (key, "tk_" + "a" * 29):
            try:
                await Ntfy(url, session, token=wrong).can_subscribe([topic])
            except NtfyException as error:
                print(type(error).__name__, error.code)

asyncio.run(main(*sys.argv[1:]))
`;

const RECEIVED = `ann@example.org user 0 0
tk_ Home Assistant None
open, False, None, None, None, [], None, None, None, [], None, None
message, True, Tür, Offen
42 cm, 5, ['door'], https://a.example/, https://a.example/i.png, c.jpg, ['Close'], door, text/markdown
message, True, None, last, None, [], None, None, None, [], None, None
NtfyForbiddenAccessError 40301
NtfyUnauthorizedAuthenticationError 40101
`;

test("Home Assistant's client is set up with an app password, and understands every event", async (t) => {
  const program = findNtfyClient();
  if (program === null)
    return t.skip(throwInCi("needs Home Assistant's client: npm run ntfy-client"));
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { secret, topic } = await addNtfyApp(app, ann);
  const args = ["-c", SUBSCRIBE, app.url, secret, topic, ann.key];
  const { code, stdout, stderr } = await runProgram(program, args, {
    env: { PYTHONIOENCODING: "utf-8" },
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, RECEIVED);
});
