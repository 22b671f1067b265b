import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { addDevice, signUp, startApp } from "../../../server/test/support/app.ts";
import { ON_ONE_DATABASE } from "../../../server/test/support/database.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { runTocsin, startTocsin, waitForExit } from "../tocsin.fixture.ts";
import { addRounds } from "../../../server/test/support/incident-rows.ts";

const UNKNOWN_ID = "019a8f5e-2c41-7d03-9f6e-5b1c0d7a4e22";

/**
 * Starts a server with an account and one device. `asPerson` runs `tocsin` with an access token, `asKey` with the API
 * key, and `trigger` opens an incident.
 */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const { token } = await ann.client.accessTokens.create({ label: "incidents" });
  const shared = { TOCSIN_URL: app.url, XDG_CONFIG_HOME: await createTemporaryFolder(t) };
  const personEnvironment = { ...shared, TOCSIN_ACCESS_TOKEN: token };
  const keyEnvironment = { ...shared, TOCSIN_API_KEY: ann.key };
  const asPerson = (...args: readonly string[]) =>
    runTocsin(args, { environment: personEnvironment });
  const asKey = (...args: readonly string[]) => runTocsin(args, { environment: keyEnvironment });
  const trigger = async (title: string, incidentKey: string) => {
    const { incidentId } = await ann.client.notify({ title, body: "", incidentKey });
    return incidentId ?? assert.fail();
  };
  return { app, ann, phone, token, personEnvironment, keyEnvironment, asPerson, asKey, trigger };
}

test("send opens an incident, counts a repeated trigger, acknowledges it and resolves it", async (t) => {
  const { ann, asKey, phone } = await setUp(t);
  const down = ["send", "Shop is down", "--incident-key", "shop", "--auto-resolve-after", "3600"];
  const opened = await asKey(...down, "--priority", "emergency", "--repeat-every", "60");
  const [, id = ""] = /^ {2}incident (\S+)$/m.exec(opened.stdout) ?? [];
  assert.equal(opened.code, 0, opened.stderr);
  assert.equal((await ann.client.incidents.get(id)).incidentKey, "shop");
  const again = await asKey(...down, "--priority", "emergency", "--wait");
  assert.deepEqual([again.code, again.stderr], [0, ""]);
  assert.match(again.stdout, /\(2 times\)\. Nobody was told again\.\n {2}incident /);
  const acknowledgeRun = await asKey(
    "send",
    "Looking",
    "--incident-key",
    "shop",
    "--acknowledge",
    "--json",
  );
  assert.deepEqual([acknowledgeRun.code, JSON.parse(acknowledgeRun.stdout).incidentId], [0, id]);
  assert.equal((await ann.client.incidents.get(id)).state, "acknowledged");
  assert.equal((await asKey("send", "Up", "--incident-key", "shop", "--resolve")).code, 0);
  assert.equal((await ann.client.incidents.get(id)).state, "resolved");
  const repeatedResolveRun = await asKey("send", "Up", "--incident-key", "shop", "--resolve");
  assert.deepEqual(
    [repeatedResolveRun.code, repeatedResolveRun.stdout],
    [0, "No open incident has this key.\n"],
  );
  assert.ok(phone.messages.length > 0);
});

test("incident list shows the open incidents or those in another state, up to --limit", async (t) => {
  const { ann, asPerson, trigger } = await setUp(t);
  assert.equal((await asPerson("incident", "list")).stdout, "There is no incident that is open.\n");
  const disk = await trigger("Disk full", "disk");
  const shop = await trigger("Shop\u009b2J is down", "shop");
  await ann.client.incidents.acknowledge(shop);
  const { code, stdout, stderr } = await asPerson("incident", "list");
  assert.deepEqual([code, stderr], [0, ""]);
  const [headings = "", first = "", second = "", ...rest] = stdout.split("\n");
  assert.match(headings, /^OPENED +STATE +PRIORITY +TIMES +ID +TITLE$/);
  assert.match(first, new RegExp(`  acknowledged by Ann  normal +1 +${shop}  Shop 2J is down$`));
  assert.match(second, new RegExp(`  triggered +normal +1 +${disk}  Disk full$`));
  assert.deepEqual(rest, [""]);
  await ann.client.incidents.resolve(shop);
  const cases: readonly (readonly [state: string, expectedIds: readonly string[]])[] = [
    ["open", [disk]],
    ["triggered", [disk]],
    ["resolved", [shop]],
    ["expired", []],
    ["all", [shop, disk]],
  ];
  for (const [state, expectedIds] of cases) {
    const { items } = JSON.parse(
      (await asPerson("incident", "list", "--state", state, "--json")).stdout,
    );
    assert.deepEqual(
      items.map(({ id }: { readonly id: string }) => id),
      expectedIds,
      state,
    );
  }
  const limited = await asPerson("incident", "list", "--state", "all", "--limit", "1");
  assert.match(limited.stderr, /There are more/);
});

test("incident show prints the history to a person, and the receipt to an API key", async (t) => {
  const { ann, asPerson, asKey, trigger, personEnvironment } = await setUp(t);
  const id = await trigger("Disk full", "disk");
  await ann.client.incidents.acknowledge(id, { note: "On my way" });
  const showRun = await asPerson("incident", "show", id);
  assert.deepEqual([showRun.code, showRun.stderr], [0, ""]);
  assert.match(
    showRun.stdout,
    /^Disk full\nState {5}acknowledged\nPriority {2}normal\nOpened {4}\d/,
  );
  assert.match(showRun.stdout, /^Taken {5}\d\S+ \S+ by Ann with an access token$/m);
  assert.match(showRun.stdout, new RegExp(`^Key {7}disk\nId {8}${id}\n\n`, "m"));
  assert.match(showRun.stdout, /^\d\S+ \S+ {2}push: trigger, 1 delivered$/m);
  assert.match(
    showRun.stdout,
    /^\d\S+ \S+ {2}acknowledged by Ann with an access token: On my way$/m,
  );
  const detail = JSON.parse(
    (await asPerson("incident", "show", id.toUpperCase(), "--json")).stdout,
  );
  assert.equal(detail.history[0].kind, "opened");
  const receipt = JSON.parse((await asKey("incident", "show", id, "--json")).stdout);
  assert.deepEqual(receipt, await ann.client.receipts.get(id));
  const environment = { ...personEnvironment, TOCSIN_API_KEY: ann.key };
  const runWithBoth = await runTocsin(["incident", "show", id, "--json"], { environment });
  assert.ok("history" in JSON.parse(runWithBoth.stdout));
  const byKeyRun = await asPerson("incident", "show", id, "--json", "--key", ann.key);
  assert.deepEqual(JSON.parse(byKeyRun.stdout), receipt);
});

test("incident show --wait returns once somebody acts, and exits with 1 if nobody does", async (t) => {
  const { ann, asKey, trigger, keyEnvironment } = await setUp(t);
  const id = await trigger("Disk full", "disk");
  const timedOutRun = await asKey("incident", "show", id, "--wait", "1", "--json");
  assert.deepEqual([timedOutRun.code, JSON.parse(timedOutRun.stdout).state], [1, "triggered"]);
  const child = startTocsin(["incident", "show", id, "--wait", "3600"], {
    environment: keyEnvironment,
  });
  const exited = waitForExit(child);
  await ann.client.incidents.acknowledge(id);
  const { code, stdout } = await exited;
  assert.equal(code, 0);
  assert.match(stdout, /^State {5}acknowledged$/m);
});

test("incident ack and resolve work for a person by id, and for an API key by incident key", async (t) => {
  const { ann, asPerson, asKey, trigger } = await setUp(t);
  const disk = await trigger("Disk full", "disk");
  const shop = await trigger("Shop is down", "shop");
  const acknowledgeRun = await asPerson("incident", "ack", disk, shop, UNKNOWN_ID);
  assert.deepEqual(
    [acknowledgeRun.code, acknowledgeRun.stderr],
    [1, `${UNKNOWN_ID}  you were not told about such an incident\n`],
  );
  assert.equal(
    acknowledgeRun.stdout,
    `${disk}  Disk full  The incident is acknowledged.\n${shop}  Shop is down  The incident is acknowledged.\n`,
  );
  const again = await asKey("incident", "ack", "--incident-key", "disk", "--json");
  const { success, items, unknown } = JSON.parse(again.stdout);
  assert.deepEqual([again.code, success, unknown, items[0].isChanged], [0, true, [], false]);
  assert.match(items[0].message, /already acknowledged by Ann/);
  const resolved = await asPerson("incident", "resolve", disk, "--json");
  assert.deepEqual([resolved.code, JSON.parse(resolved.stdout).isChanged], [0, true]);
  const diskIncident = await ann.client.incidents.get(disk);
  assert.equal(diskIncident.acknowledgement?.via, "command_line");
  assert.equal(diskIncident.resolution?.via, "command_line");
  const byKey = await asKey("incident", "resolve", "--incident-key", "shop");
  assert.deepEqual(
    [byKey.code, byKey.stdout],
    [0, `${shop}  Shop is down  The incident is resolved.\n`],
  );
  const { resolution } = await ann.client.incidents.get(shop);
  assert.equal(resolution?.via, "key");
  for (const reference of [[UNKNOWN_ID], ["--incident-key", "shop"]]) {
    const refusedRun = await asKey("incident", "resolve", ...reference, "--json");
    assert.deepEqual([refusedRun.code, JSON.parse(refusedRun.stdout).error.code], [3, "not_found"]);
  }
});

test(
  "wrong usage of incident commands exits with 2 and says what to do",
  ON_ONE_DATABASE,
  async (t) => {
    const { ann, asKey, asPerson } = await setUp(t);
    const cases: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
      [["send", "T", "--resolve"], /--resolve needs --incident-key/],
      [["send", "T", "--incident-key", "k", "--resolve", "--acknowledge"], /not both/],
      [["send", "T", "--incident-key", "k", "--resolve", "--wait"], /leave --wait out/],
      [["send", "T", "--incident-key", ""], /1 to 255 characters/],
      [
        ["send", "T", "--repeat-every", "29"],
        /--repeat-every must be a number of seconds from 30 to 3600/,
      ],
      [["send", "T", "--expire-after", "1h"], /--expire-after must be a number of seconds from 60/],
      [
        ["send", "T", "--auto-resolve-after", "59"],
        /--auto-resolve-after must be a number of seconds/,
      ],
      [["incident", "show"], /Give the ID of one incident/],
      // An API key must not appear in a request path.
      [["incident", "show", ann.key], /ID must be the id of an incident/],
      [
        ["incident", "show", UNKNOWN_ID, "--wait", "0"],
        /--wait must be a number of seconds from 1/,
      ],
      [["incident", "ack"], /Give either an ID or --incident-key/],
      [["incident", "ack", UNKNOWN_ID, "--incident-key", "k"], /Give either an ID or/],
      [
        ["incident", "ack", UNKNOWN_ID, UNKNOWN_ID.replace("0", "1")],
        /With an API key, give one ID/,
      ],
      [["incident", "resolve", UNKNOWN_ID, UNKNOWN_ID.replace("0", "1")], /ID of one incident/],
      [["incident", "list"], /Nobody is signed in/],
    ];
    for (const [args, reason] of cases) {
      const { code, stdout, stderr } = await asKey(...args);
      assert.deepEqual([code, stdout], [2, ""], args.join(" "));
      assert.match(stderr, reason);
      assert.ok(!stderr.includes(ann.key));
    }
    const wrongStateRun = await asPerson("incident", "list", "--state", "opne");
    assert.equal(wrongStateRun.code, 2);
    assert.match(wrongStateRun.stderr, /--state must be one of .*Did you mean open\?/);
  },
);

test("incident show says how to get the earlier entries of a long history", async (t) => {
  const { app, asPerson, trigger } = await setUp(t);
  const id = await trigger("Disk full", "disk");
  assert.doesNotMatch((await asPerson("incident", "show", id)).stdout, /Earlier/);
  // More than fits into the history that one request returns.
  const roundCount = 100;
  await addRounds(app.app, id, roundCount);
  const { code, stdout } = await asPerson("incident", "show", id);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Earlier entries exist\. GET \/api\/app\/v1\/incidents\/\S+\?cursor=\S+ shows them\.$/m,
  );
});
