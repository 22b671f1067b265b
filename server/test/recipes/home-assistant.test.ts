import assert from "node:assert/strict";
import test from "node:test";
import { isInstalledOrSkip, runProgram } from "../support/program.ts";
import { findBlock, fillPlaceholders, createPlaceholderValues } from "./page.ts";
import { startRecipeFixture } from "./recipe-fixture.ts";

/** Debian's Python, because Debian's packages install into it. */
const PYTHON = "/usr/bin/python3";
const FIND_MODULES = [PYTHON, "-c", "import requests, yaml"];
const PACKAGES = "python3-requests python3-yaml";

/**
 * Makes the request that Home Assistant makes from a `rest` notifier and an automation's call, with the same library. It sends the
 * call's parameters together with the notifier's data: GET in the query, POST as a form, POST_JSON as JSON.
 */
const NOTIFY = `
import json, sys
import requests, yaml
options = json.load(sys.stdin)
yaml.SafeLoader.add_constructor("!secret", lambda loader, node: options["secrets"][node.value])
notifier = yaml.safe_load(options["configuration"])["notify"][0]
assert notifier["platform"] == "rest"
call = yaml.safe_load(options["call"])
data = {notifier.get("message_param_name", "message"): call["data"]["message"]}
if "title_param_name" in notifier:
    data[notifier["title_param_name"]] = call["data"].get("title", "Home Assistant")
data.update(notifier.get("data", {}))
method = options.get("method") or notifier.get("method", "GET")
target, headers = notifier["resource"], notifier.get("headers")
if method == "POST_JSON":
    response = requests.post(target, headers=headers, json=data, timeout=10)
elif method == "POST":
    response = requests.post(target, headers=headers, data=data, timeout=10)
else:
    response = requests.get(target, headers=headers, params=data, timeout=10)
print(response.status_code)
`;

interface NotifyOptions {
  readonly configuration: string;
  readonly call: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly method?: string;
}

async function runNotifier(options: NotifyOptions): Promise<number> {
  const input = JSON.stringify(options);
  const { code, stdout, stderr } = await runProgram(PYTHON, ["-c", NOTIFY], { input });
  assert.equal(code, 0, stderr);
  return Number(stdout);
}

const CALL = findBlock("home-assistant.md", "yaml", "action: notify.tocsin");

test("Home Assistant's rest notifier sends JSON with the key in a header", async (t) => {
  if (!isInstalledOrSkip(t, FIND_MODULES, PACKAGES)) return;
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const configuration = fillPlaceholders(findBlock("home-assistant.md", "yaml", "POST_JSON"), {
    "https://push.example.org": app.url,
  });
  const secrets = { push_api_key: ann.key };
  assert.equal(await runNotifier({ configuration, call: CALL, secrets }), 200);
  const { title, body, channel } = await receiveNext();
  assert.deepEqual(
    { title, body, channel },
    { title: "Front door", body: "It has been open for ten minutes.", channel: "home" },
  );
  const callWithoutTitle = CALL.replace(/ {2}title: .*\n/, "");
  assert.equal(await runNotifier({ configuration, call: callWithoutTitle, secrets }), 200);
  assert.equal((await receiveNext()).title, "Home Assistant");
  // The page says that the server rejects a form.
  assert.equal(await runNotifier({ configuration, call: CALL, secrets, method: "POST" }), 400);
});

test("Home Assistant's rest notifier sends by GET with the key in the URL", async (t) => {
  if (!isInstalledOrSkip(t, FIND_MODULES, PACKAGES)) return;
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const block = findBlock("home-assistant.md", "yaml", "/api/v1/notify/YOUR_API_KEY");
  const configuration = fillPlaceholders(block, createPlaceholderValues(app, ann.key));
  const call = CALL.replace("ten minutes", "10 min & more, 100 % \u00fc");
  assert.equal(await runNotifier({ configuration, call, secrets: {} }), 200);
  const { title, body } = await receiveNext();
  assert.deepEqual(
    [title, body],
    ["Front door", "It has been open for 10 min & more, 100 % \u00fc."],
  );
});
