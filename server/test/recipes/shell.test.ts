import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { isInstalled, runProgram } from "../support/program.ts";
import { blockOf, fill, installNotify, placesOf, writeScript } from "./page.ts";
import { setStage, type Stage } from "./stage.ts";

const CURL = ["curl", "--version"];
const JQ = ["jq", "--version"];
/** As cron starts a job. */
const OF_CRON = { PATH: "/usr/bin:/bin", SHELL: "/bin/sh", HOME: "/nonexistent" };

test("the call with curl sends, and ends with an error where the server refuses", async (t) => {
  if (!isInstalled(t, CURL, "curl")) return;
  const { app, ann, arrived } = await setStage(t);
  const call = blockOf("curl.md", "sh", '"$TOCSIN_URL');
  const run = (key: string) =>
    runProgram("sh", ["-c", call], { env: { TOCSIN_URL: app.url, TOCSIN_API_KEY: key } });
  const sent = await run(ann.key);
  assert.deepEqual([sent.code, JSON.parse(sent.stdout).success], [0, true], sent.stderr);
  const { title, body } = await arrived();
  assert.deepEqual([title, body], ["Backup finished", "42 GB in 11 minutes"]);
  const refused = await run(randomUUID());
  assert.deepEqual([refused.code, refused.stdout], [22, ""]);
  assert.match(refused.stderr, /401/);
});

test("tocsin-notify takes any text of any length, and shows the key to nobody", async (t) => {
  if (!isInstalled(t, CURL, "curl") || !isInstalled(t, JQ, "jq")) return;
  const { app, ann, folder, arrived } = await setStage(t);
  const script = await installNotify(folder, app, ann.key);
  const notify = (args: readonly string[], input: string | Uint8Array) =>
    runProgram(script, args, { input });
  const hostile = 'a "quoted" \\ $(text)\n\ttab `and` \u00fc \u{1f514}';
  assert.deepEqual(await notify(["Disk 'full'", "disks"], hostile), END_OF_ONE);
  const { title, body, channel } = await arrived();
  assert.deepEqual(
    { title, body, channel },
    { title: "Disk 'full'", body: hostile, channel: "disks" },
  );
  const broken = Buffer.concat([Buffer.from("Caf"), Buffer.from([0xe9]), Buffer.from(" closed")]);
  assert.deepEqual(await notify(["Latin"], broken), END_OF_ONE);
  assert.equal((await arrived()).body, "Caf\ufffd closed");
  assert.deepEqual(await notify(["Long"], `${"x".repeat(300_000)}the end`), END_OF_ONE);
  assert.match((await arrived()).body, /^x{3993}the end$/);
  assert.deepEqual(await notify(["Nothing to say"], ""), END_OF_ONE);
  assert.equal((await arrived()).title, "Nothing to say");
  const call = await runProgram("sh", ["-c", blockOf("curl.md", "sh", "df -h")], {
    env: { PATH: `${folder}:${process.env["PATH"]}` },
  });
  assert.deepEqual(call, END_OF_ONE);
  const disks = await arrived();
  assert.deepEqual([disks.title, disks.channel], [`Disks of ${hostname()}`, "disks"]);
  assert.match(disks.body, /\d%/);
  assert.doesNotMatch(blockOf("curl.md", "sh", "#!/bin/sh"), /x-api-key/);
});

const END_OF_ONE = { code: 0, stdout: "", stderr: "" };

/** Installs the wrapper of the page, and returns its path. */
async function installCron({ app, ann, folder }: Stage): Promise<string> {
  const notify = await installNotify(folder, app, ann.key);
  const path = join(folder, "tocsin-cron");
  const text = blockOf("cron.md", "sh", "#!/bin/sh");
  await writeScript(path, fill(text, { "/usr/local/bin/tocsin-notify": notify }));
  return path;
}

test("a job of cron that fails sends its output and keeps its code, and one that succeeds says nothing", async (t) => {
  if (!isInstalled(t, CURL, "curl") || !isInstalled(t, JQ, "jq")) return;
  const stage = await setStage(t);
  const wrapper = await installCron(stage);
  const job = join(stage.folder, "backup");
  await writeScript(job, '#!/bin/sh\necho "out $1"\necho "err $2" >&2\nexit "$3"\n');
  const [, command = ""] = /^(?:\S+ ){5}(.*)\n$/.exec(blockOf("cron.md", "", "tocsin-cron")) ?? [];
  const filled = fill(command, {
    "/usr/local/bin/tocsin-cron": wrapper,
    "/usr/local/bin/backup --all": `${job} "a b" c 7`,
  });
  const failed = await runProgram("/bin/sh", ["-c", filled], { env: OF_CRON });
  assert.deepEqual(failed, { code: 7, stdout: "", stderr: "" });
  const { title, body, channel } = await stage.arrived();
  assert.equal(title, `Backup failed on ${hostname()} with code 7`);
  assert.deepEqual([body.trimEnd(), channel], ["out a b\nerr c", "cron"]);
  const good = filled.replace(/7$/, "0");
  assert.deepEqual(await runProgram("/bin/sh", ["-c", good], { env: OF_CRON }), END_OF_ONE);
  assert.equal((await stage.ann.client.feed.list()).items.length, 1);
});

test("a job that fails while the server refuses is told to cron, which mails what is printed", async (t) => {
  if (!isInstalled(t, CURL, "curl") || !isInstalled(t, JQ, "jq")) return;
  const stage = await setStage(t);
  const wrapper = await installCron({ ...stage, ann: { ...stage.ann, key: randomUUID() } });
  const { code, stderr } = await runProgram(wrapper, ["Backup", "false"], { env: OF_CRON });
  assert.equal(code, 1);
  assert.match(stderr, /401/);
});

test("the line of the crontab is one that cron takes", async (t) => {
  const line = blockOf("cron.md", "", "tocsin-cron");
  // Five fields, then a command; a percent sign would end it there (crontab(5)).
  assert.match(line, /^(?:[\d*/,-]+ ){5}\/[^%\n]+\n$/);
  if (!isInstalled(t, ["sh", "-c", "crontab -h 2>&1 | grep -q 'dry run'"], "cron")) return;
  const { folder } = await setStage(t);
  const path = join(folder, "crontab");
  for (const [text, code] of [[line, 0] as const, [`99 ${line}`, 1] as const]) {
    await writeFile(path, text);
    assert.equal((await runProgram("crontab", ["-n", path])).code, code, text);
  }
});

test("the lines for GitLab and Jenkins send, whatever a branch is called", async (t) => {
  if (!isInstalled(t, CURL, "curl")) return;
  const { app, ann, arrived } = await setStage(t);
  const gitlab = /^ {4}- \|\n((?: {6}.*\n)+)/mu.exec(blockOf("gitlab-and-jenkins.md", "yaml"))?.[1];
  const jenkins = /sh '''\n([^]*?)'''/u.exec(blockOf("gitlab-and-jenkins.md", "groovy"))?.[1];
  const env = {
    TOCSIN_URL: app.url,
    TOCSIN_API_KEY: ann.key,
    CI_PROJECT_PATH: "ann/bells",
    CI_COMMIT_REF_NAME: 'fix/"50%"+&more',
    CI_COMMIT_TITLE: "Ring \u00fc & \u{1f514}",
    CI_PIPELINE_URL: "https://gitlab.example.org/ann/bells/-/pipelines/42",
    JOB_NAME: "folder/My bells",
    BUILD_NUMBER: "42",
    NODE_NAME: "built-in",
    BUILD_URL: "https://jenkins.example.org/job/My%20bells/42/",
  };
  const expected = [
    ['ann/bells failed on fix/"50%"+&more', env.CI_COMMIT_TITLE, env.CI_PIPELINE_URL],
    ["folder/My bells failed", "Build 42 on built-in", env.BUILD_URL],
  ];
  for (const [index, script] of [gitlab, jenkins].entries()) {
    const { code, stderr } = await runProgram("sh", ["-c", script ?? "exit 99"], { env });
    assert.equal(code, 0, stderr);
    const { title, body, link, channel } = await arrived();
    assert.deepEqual([[title, body, link], channel], [expected[index], "builds"]);
  }
});

test("the shell scripts of the pages are understood by a plain sh", async () => {
  for (const [page, containing] of [
    ["curl.md", "#!/bin/sh"],
    ["cron.md", "#!/bin/sh"],
    ["systemd.md", "#!/bin/sh"],
  ] as const) {
    const { code, stderr } = await runProgram("sh", ["-n"], {
      input: blockOf(page, "sh", containing),
    });
    assert.equal(code, 0, stderr);
  }
});

test("a place that a page does not have is not filled in silence", () => {
  assert.throws(() => fill("nothing", placesOf({ url: "http://x" }, "key")), /is not in/);
});
