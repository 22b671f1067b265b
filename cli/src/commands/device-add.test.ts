import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { signUp, startApp } from "../../../server/test/support/app.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { runTocsin } from "../tocsin.fixture.ts";

/** Starts a server with an account that is signed in on the command line. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const environment = { XDG_CONFIG_HOME: await createTemporaryFolder(t), TOCSIN_URL: app.url };
  const login = ["login", "--email", ann.email, "--password-stdin"];
  assert.equal((await runTocsin(login, { environment, input: "password of Ann\n" })).code, 0);
  const run = (...args: readonly string[]) => runTocsin(args, { environment });
  return { ann, run };
}

test("an added app is printed with everything to enter in it, and is listed as never connected", async (t) => {
  const { ann, run } = await setUp(t);
  const { code, stdout, stderr } = await run("device", "add", "Pixel 8");
  assert.deepEqual([code, stderr], [0, ""]);
  const [, url = "", topic = "", userName = "", password = ""] =
    /^Server {5}(\S+)\nTopic {6}(\S+) .*\nUser name {2}(\S+)\nPassword {3}(\S+) {2}\(shown only now/.exec(
      stdout,
    ) ?? [];
  const [device] = (await ann.client.devices.list()).items;
  assert.deepEqual([new URL(url).origin, userName], [url, ann.email]);
  assert.deepEqual([device?.platform, device?.app?.topic], ["android", topic]);
  const listed = await run("devices");
  assert.match(listed.stdout, /^Pixel 8 +android +app of ntfy +never connected /m);
  assert.ok(password.length > 0 && !listed.stdout.includes(password));
});

test("--other and --platform add another program, and --json prints the response", async (t) => {
  const { ann, run } = await setUp(t);
  const options = ["--other", "--platform", "web", "--json"];
  const { stdout } = await run("device", "add", "Home Assistant", ...options);
  const { device, userName } = JSON.parse(stdout);
  assert.deepEqual([device.app.client, device.platform, userName], ["other", "web", ann.email]);
});

test("no name, two names and an unknown platform are usage errors", async (t) => {
  const { run } = await setUp(t);
  for (const args of [[], ["a", "b"], ["a", "--platform", "symbian"]]) {
    const { code, stderr } = await run("device", "add", ...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, args.length === 3 ? /android/ : /one name/);
  }
});
