import assert from "node:assert/strict";
import test from "node:test";
import { findNtfyClient } from "../../../scripts/ntfy-client.ts";
import { eventually } from "../support/eventually.ts";
import { runProgram, throwInCi } from "../support/program.ts";
import { findBlock, readSetting } from "./page.ts";
import { startRecipeFixture } from "./recipe-fixture.ts";

/**
 * Sets the integration for ntfy up as home-assistant/core does it (components/ntfy/config_flow.py at 03ca05c0), with the
 * same client: it asks for the account, exchanges the password for a token, listens to a topic, and sends to it.
 */
const INTEGRATION = `
import asyncio, sys
from aiohttp import ClientSession
from aiontfy import Event, Message, Ntfy

async def main(url, user_name, password):
    async with ClientSession() as session:
        form = Ntfy(url, session, user_name, password)
        account = await form.account()
        token = (await form.generate_token("Home Assistant")).token
        print(account.username, token[:3])
        client = Ntfy(url, session, token=token)
        received = asyncio.Event()
        def handle(notification):
            if notification.event == Event.OPEN:
                asyncio.ensure_future(client.publish(Message(topic="home", title="Tür", message="Offen")))
            if notification.event == Event.MESSAGE:
                print(notification.topic, notification.title, notification.message)
                received.set()
        listening = asyncio.ensure_future(client.subscribe(["home"], handle))
        await asyncio.wait_for(received.wait(), 20)
        # The connection answers the ping that follows the message meanwhile.
        await client.account()
        listening.cancel()

asyncio.run(main(*sys.argv[1:]))
`;

test("Home Assistant's integration for ntfy signs in with the page's password, sends and listens", async (t) => {
  const program = findNtfyClient();
  if (program === null)
    return t.skip(throwInCi("needs Home Assistant's client: npm run ntfy-client"));
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const command = findBlock("home-assistant.md", "sh", "device add");
  assert.equal(command, 'tocsin device add "Home Assistant" --other --platform web\n');
  const added = await ann.client.devices.addApp({
    client: "other",
    name: "Home Assistant",
    platform: "web",
  });
  const fill = (field: string) =>
    readSetting("home-assistant.md", field)
      .replace("https://push.example.org", app.url)
      .replace("USER_NAME", added.userName)
      .replace("APP_PASSWORD", added.password);
  const args = ["-c", INTEGRATION, fill("Service URL"), fill("Username"), fill("Password")];
  const { code, stdout, stderr } = await runProgram(program, args, {
    env: { PYTHONIOENCODING: "utf-8" },
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `${ann.email} tk_\nhome Tür Offen\n`);
  const { title, channel } = await receiveNext();
  assert.deepEqual([title, channel], ["Tür", "home"]);
  const readDevice = async () => {
    const { items } = await ann.client.devices.list();
    return items.find(({ id }) => id === added.device.id);
  };
  await eventually(readDevice, (device) => device?.lastDelivery?.state === "accepted");
});
