import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { findNtfyClient } from "../../../scripts/ntfy-client.ts";
import { signUp, startApp } from "../support/app.ts";
import { runProgram, throwInCi } from "../support/program.ts";

/**
 * Publishes with Home Assistant's client, which reads every response into fixed types, and passes the members of an error
 * to a function. Prints what it understood of each response.
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
