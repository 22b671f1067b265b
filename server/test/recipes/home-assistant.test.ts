import assert from "node:assert/strict";
import test from "node:test";
import { isInstalled, runProgram } from "../support/program.ts";
import { blockOf, fill, placesOf } from "./page.ts";
import { setStage } from "./stage.ts";

/** Debian's own, which Debian's packages are for. */
const PYTHON = "/usr/bin/python3";
const NEEDED = [PYTHON, "-c", "import requests, yaml"];
const PACKAGES = "python3-requests python3-yaml";

/**
 * The request that Home Assistant makes of a `rest` notifier and of an automation's call: its parameters and the notifier's data together, by the
 * library that it uses too. GET puts them into the query, POST sends a form, POST_JSON sends JSON.
 */
const NOTIFY = `
import json, sys
import requests, yaml
given = json.load(sys.stdin)
yaml.SafeLoader.add_constructor("!secret", lambda loader, node: given["secrets"][node.value])
notifier = yaml.safe_load(given["configuration"])["notify"][0]
assert notifier["platform"] == "rest"
call = yaml.safe_load(given["call"])
data = {notifier.get("message_param_name", "message"): call["data"]["message"]}
if "title_param_name" in notifier:
    data[notifier["title_param_name"]] = call["data"].get("title", "Home Assistant")
data.update(notifier.get("data", {}))
method = given.get("method") or notifier.get("method", "GET")
target, headers = notifier["resource"], notifier.get("headers")
if method == "POST_JSON":
    answer = requests.post(target, headers=headers, json=data, timeout=10)
elif method == "POST":
    answer = requests.post(target, headers=headers, data=data, timeout=10)
else:
    answer = requests.get(target, headers=headers, params=data, timeout=10)
print(answer.status_code)
`;

interface Notifying {
  readonly configuration: string;
  readonly call: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly method?: string;
}

async function notify(given: Notifying): Promise<number> {
  const input = JSON.stringify(given);
  const { code, stdout, stderr } = await runProgram(PYTHON, ["-c", NOTIFY], { input });
  assert.equal(code, 0, stderr);
  return Number(stdout);
}

const CALL = blockOf("home-assistant.md", "yaml", "action: notify.tocsin");

test("Home Assistant's rest notifier sends JSON with the key in a header", async (t) => {
  if (!isInstalled(t, NEEDED, PACKAGES)) return;
  const { app, ann, arrived } = await setStage(t);
  const configuration = fill(blockOf("home-assistant.md", "yaml", "POST_JSON"), {
    "https://push.example.org": app.url,
  });
  const secrets = { push_api_key: ann.key };
  assert.equal(await notify({ configuration, call: CALL, secrets }), 200);
  const { title, body, channel } = await arrived();
  assert.deepEqual(
    { title, body, channel },
    { title: "Front door", body: "It has been open for ten minutes.", channel: "home" },
  );
  const untitled = CALL.replace(/ {2}title: .*\n/, "");
  assert.equal(await notify({ configuration, call: untitled, secrets }), 200);
  assert.equal((await arrived()).title, "Home Assistant");
  // The page says that a form is refused.
  assert.equal(await notify({ configuration, call: CALL, secrets, method: "POST" }), 400);
});

test("Home Assistant's rest notifier sends by GET with the key in the address", async (t) => {
  if (!isInstalled(t, NEEDED, PACKAGES)) return;
  const { app, ann, arrived } = await setStage(t);
  const block = blockOf("home-assistant.md", "yaml", "/api/v1/notify/YOUR_API_KEY");
  const configuration = fill(block, placesOf(app, ann.key));
  const call = CALL.replace("ten minutes", "10 min & more, 100 % \u00fc");
  assert.equal(await notify({ configuration, call, secrets: {} }), 200);
  const { title, body } = await arrived();
  assert.deepEqual(
    [title, body],
    ["Front door", "It has been open for 10 min & more, 100 % \u00fc."],
  );
});
