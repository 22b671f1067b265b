import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createTemporaryFolder } from "../../test/support/temporary-folder.ts";
import { encodePost, HttpCaller } from "../support/http-caller.ts";
import { Senders, sendRequest, type PeerTarget } from "../support/senders.ts";
import { StreamReader, type StreamsTarget } from "../support/stream-reader.ts";
import { createBarkTarget } from "./bark.ts";
import { findPrograms, getProgram } from "./find-programs.ts";
import { createGorushApnsTarget, createGorushFcmTarget } from "./gorush.ts";
import { createGotifyStreams, createGotifyTarget } from "./gotify.ts";
import { createNtfyStreams, createNtfyTarget } from "./ntfy.ts";
import type { PeerName, RunningProgram } from "./program.ts";
import { findFixedPushHostProblem, startPushHosts } from "./push-hosts.ts";
import { startAll, startOnce, startTargets, type PeerTargetFactories } from "./start-found.ts";

const STAND_IN = join(import.meta.dirname, "stand-in.ts");
const SENDERS_OPTIONS = { connections: 1, path: "/not-used" };
const TOKENS = ["aa", "bb"];

/** Creates a folder with executables that answer as these servers do; see `stand-in.ts`. */
async function createFolder(t: TestContext, names: readonly string[]): Promise<string> {
  const folder = await createTemporaryFolder(t);
  for (const name of names) {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" ${name} "$@"\n`);
    await chmod(path, 0o755);
  }
  return folder;
}

async function findStandIns(t: TestContext, names: readonly string[]) {
  const { found } = findPrograms(await createFolder(t, names));
  return new Map(found.map(({ name, path }): [PeerName, string] => [name, path]));
}

/** Sends to each of the target's accounts, topics or devices once. */
async function sendToAll(target: PeerTarget): Promise<void> {
  const senders = await Senders.connect(target, SENDERS_OPTIONS);
  for (let sent = 0; sent < target.requests.length; sent += 1) await senders.send(0);
  senders.close();
}

test("every binary of a folder is found with the version that it prints", async (t) => {
  const { found, missing } = findPrograms(
    await createFolder(t, ["ntfy", "gotify", "gorush", "bark-server"]),
  );
  assert.deepEqual(
    found.map(({ name, version }) => [name, version]),
    [
      ["ntfy", "0.1.0"],
      ["Gotify", "0.2.0"],
      ["gorush", "0.3.0"],
      ["Bark", "v0.4.0"],
    ],
  );
  assert.deepEqual(missing, []);
});

test("a binary that is missing, is not executable or prints no version is reported with the reason", async (t) => {
  const folder = await createFolder(t, ["ntfy", "gorush"]);
  await chmod(join(folder, "gorush"), 0o644);
  await writeFile(join(folder, "bark-server"), "#!/bin/sh\necho bark\n", { mode: 0o755 });
  const { found, missing } = findPrograms(folder);
  assert.deepEqual(
    found.map(({ name }) => name),
    ["ntfy"],
  );
  assert.deepEqual(missing, [
    { name: "Gotify", reason: `${folder} has no executable gotify or gotify-server` },
    { name: "gorush", reason: `${folder} has no executable gorush` },
    { name: "Bark", reason: `${folder}/bark-server --version prints no version` },
  ]);
});

test("ntfy and Gotify are started and accept the sample", async (t) => {
  const targets = {
    ntfy: (server: RunningProgram) => createNtfyTarget(server, 2),
    Gotify: (server: RunningProgram) => createGotifyTarget(server, 2),
  } satisfies PeerTargetFactories;
  const programs = await findStandIns(t, ["ntfy", "gotify"]);
  const started = await startTargets(t, targets, { programs });
  assert.deepEqual(Object.keys(started), ["ntfy", "Gotify"]);
  // `targets` above creates this type.
  for (const target of Object.values(started)) await sendToAll(target as PeerTarget);
});

test("a stream of ntfy or Gotify receives each notification", async (t) => {
  const targets = {
    ntfy: (server: RunningProgram) => createNtfyStreams(server, 2),
    Gotify: (server: RunningProgram) => createGotifyStreams(server, 2),
  } satisfies PeerTargetFactories;
  const programs = await findStandIns(t, ["ntfy", "gotify"]);
  for (const started of Object.values(await startTargets(t, targets, { programs }))) {
    const { target, streams, ...protocol } = started as StreamsTarget; // `targets` above creates this type.
    const { url, requests, acceptedText } = target;
    const [stream] = streams;
    const [post] = requests;
    assert.ok(stream !== undefined && post !== undefined);
    const reader = await StreamReader.open(url, stream, protocol);
    t.after(() => reader.close());
    const caller = await HttpCaller.connect(url);
    t.after(() => caller.close());
    for (let sends = 0; sends < 2; sends += 1) {
      await sendRequest(caller, encodePost(url, post), acceptedText);
      await reader.waitForNext();
    }
  }
});

const FIXED_PUSH_HOST_PROBLEM = await findFixedPushHostProblem();

test(
  "gorush and Bark reach the double at the hosts of APNs and FCM",
  { skip: FIXED_PUSH_HOST_PROBLEM ?? false },
  async (t) => {
    const pushHosts = await startPushHosts(t, "");
    const programs = await findStandIns(t, ["gorush", "bark-server"]);
    const options = { programs, pushHosts };
    const targets = {
      gorush: (server: RunningProgram) => createGorushApnsTarget(server, TOKENS),
      Bark: (server: RunningProgram) => createBarkTarget(server, TOKENS),
    } satisfies PeerTargetFactories;
    const started = await startTargets(t, targets, options);
    assert.deepEqual(Object.keys(started), ["gorush", "Bark"]);
    // `targets` above creates this type.
    for (const target of Object.values(started)) await sendToAll(target as PeerTarget);
    const toAndroid = {
      gorush: (server: RunningProgram) => createGorushFcmTarget(server, TOKENS),
    } satisfies PeerTargetFactories;
    const { gorush } = await startTargets(t, toAndroid, options);
    await sendToAll(gorush as PeerTarget); // `targets` above creates this type.
  },
);

test("a server whose binary was not found is not started", async (t) => {
  const targets = { ntfy: (server: RunningProgram) => createNtfyTarget(server, 1) };
  assert.deepEqual(await startTargets(t, targets, { programs: new Map() }), {});
});

test("every server that was found is started", async (t) => {
  const programs = await findStandIns(t, ["ntfy", "gorush"]);
  assert.deepEqual(Object.keys(await startAll(t, programs)), ["ntfy", "gorush"]);
});

test("the servers start again on the data of their first start", async (t) => {
  const programs = await findStandIns(t, ["ntfy", "gorush"]);
  const starts = await startOnce(t, programs);
  assert.deepEqual(Object.keys(starts), ["ntfy", "gorush"]);
  for (const name of programs.keys())
    await getProgram(name).start(t, starts[name] ?? assert.fail(name));
});
