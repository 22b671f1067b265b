import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { isInstalledOrSkip, runProgram } from "../support/program.ts";
import {
  findBlock,
  fillPlaceholders,
  installNotify,
  createPlaceholderValues,
  writeScript,
} from "./page.ts";
import { startRecipeFixture, type RecipeFixture } from "./recipe-fixture.ts";

const CURL = ["curl", "--version"];
const JQ = ["jq", "--version"];
const SILENT_SUCCESS = { code: 0, stdout: "", stderr: "" };
/** The environment in which cron starts a job. */
const CRON_ENVIRONMENT = { PATH: "/usr/bin:/bin", SHELL: "/bin/sh", HOME: "/nonexistent" };

test("the curl call sends, and exits with an error if the server rejects it", async (t) => {
  if (!isInstalledOrSkip(t, CURL, "curl")) return;
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const call = findBlock("curl.md", "sh", '"$TOCSIN_URL');
  const run = (key: string) =>
    runProgram("sh", ["-c", call], { env: { TOCSIN_URL: app.url, TOCSIN_API_KEY: key } });
  const sendResult = await run(ann.key);
  assert.deepEqual(
    [sendResult.code, JSON.parse(sendResult.stdout).success],
    [0, true],
    sendResult.stderr,
  );
  const { title, body } = await receiveNext();
  assert.deepEqual([title, body], ["Backup finished", "42 GB in 11 minutes"]);
  // Exit code 22 of curl is an HTTP status of 400 or above.
  const refusedRun = await run(randomUUID());
  assert.deepEqual([refusedRun.code, refusedRun.stdout], [22, ""]);
  assert.match(refusedRun.stderr, /401/);
});

test("tocsin-notify sends any text of any length, and does not expose the key", async (t) => {
  if (!isInstalledOrSkip(t, CURL, "curl") || !isInstalledOrSkip(t, JQ, "jq")) return;
  const { app, ann, folder, receiveNext } = await startRecipeFixture(t);
  const script = await installNotify(folder, app, ann.key);
  const notify = (args: readonly string[], input: string | Uint8Array) =>
    runProgram(script, args, { input });
  const hostile = 'a "quoted" \\ $(text)\n\ttab `and` \u00fc \u{1f514}';
  assert.deepEqual(await notify(["Disk 'full'", "disks"], hostile), SILENT_SUCCESS);
  const { title, body, channel } = await receiveNext();
  assert.deepEqual(
    { title, body, channel },
    { title: "Disk 'full'", body: hostile, channel: "disks" },
  );
  const invalidUtf8 = Buffer.concat([
    Buffer.from("Caf"),
    Buffer.from([0xe9]),
    Buffer.from(" closed"),
  ]);
  assert.deepEqual(await notify(["Latin"], invalidUtf8), SILENT_SUCCESS);
  assert.equal((await receiveNext()).body, "Caf\ufffd closed");
  assert.deepEqual(await notify(["Long"], `${"x".repeat(300_000)}the end`), SILENT_SUCCESS);
  assert.match((await receiveNext()).body, /^x{3993}the end$/);
  assert.deepEqual(await notify(["Nothing to say"], ""), SILENT_SUCCESS);
  assert.equal((await receiveNext()).title, "Nothing to say");
  const call = await runProgram("sh", ["-c", findBlock("curl.md", "sh", "df -h")], {
    env: { PATH: `${folder}:${process.env["PATH"]}` },
  });
  assert.deepEqual(call, SILENT_SUCCESS);
  const disks = await receiveNext();
  assert.deepEqual([disks.title, disks.channel], [`Disks of ${hostname()}`, "disks"]);
  assert.match(disks.body, /\d%/);
  assert.doesNotMatch(findBlock("curl.md", "sh", "#!/bin/sh"), /x-api-key/);
});

/** Installs the page's wrapper, and returns its path. */
async function installCron({ app, ann, folder }: RecipeFixture): Promise<string> {
  const notify = await installNotify(folder, app, ann.key);
  const path = join(folder, "tocsin-cron");
  const text = findBlock("cron.md", "sh", "#!/bin/sh");
  await writeScript(path, fillPlaceholders(text, { "/usr/local/bin/tocsin-notify": notify }));
  return path;
}

test("a failed cron job sends its output and keeps its exit code; a successful one sends nothing", async (t) => {
  if (!isInstalledOrSkip(t, CURL, "curl") || !isInstalledOrSkip(t, JQ, "jq")) return;
  const fixture = await startRecipeFixture(t);
  const wrapper = await installCron(fixture);
  const job = join(fixture.folder, "backup");
  await writeScript(job, '#!/bin/sh\necho "out $1"\necho "err $2" >&2\nexit "$3"\n');
  const [, command = ""] =
    /^(?:\S+ ){5}(.*)\n$/.exec(findBlock("cron.md", "", "tocsin-cron")) ?? [];
  const filled = fillPlaceholders(command, {
    "/usr/local/bin/tocsin-cron": wrapper,
    "/usr/local/bin/backup --all": `${job} "a b" c 7`,
  });
  const failed = await runProgram("/bin/sh", ["-c", filled], { env: CRON_ENVIRONMENT });
  assert.deepEqual(failed, { code: 7, stdout: "", stderr: "" });
  const { title, body, channel } = await fixture.receiveNext();
  assert.equal(title, `Backup failed on ${hostname()} with code 7`);
  assert.deepEqual([body.trimEnd(), channel], ["out a b\nerr c", "cron"]);
  const succeeding = filled.replace(/7$/, "0");
  assert.deepEqual(
    await runProgram("/bin/sh", ["-c", succeeding], { env: CRON_ENVIRONMENT }),
    SILENT_SUCCESS,
  );
  assert.equal((await fixture.ann.client.feed.list()).items.length, 1);
});

test("the wrapper prints the error for cron to email if the server rejects the notification", async (t) => {
  if (!isInstalledOrSkip(t, CURL, "curl") || !isInstalledOrSkip(t, JQ, "jq")) return;
  const fixture = await startRecipeFixture(t);
  const wrapper = await installCron({ ...fixture, ann: { ...fixture.ann, key: randomUUID() } });
  const { code, stderr } = await runProgram(wrapper, ["Backup", "false"], {
    env: CRON_ENVIRONMENT,
  });
  assert.equal(code, 1);
  assert.match(stderr, /401/);
});

test("cron accepts the crontab line", async (t) => {
  const line = findBlock("cron.md", "", "tocsin-cron");
  // Five fields, then a command; a percent sign would end the command (crontab(5)).
  assert.match(line, /^(?:[\d*/,-]+ ){5}\/[^%\n]+\n$/);
  if (!isInstalledOrSkip(t, ["sh", "-c", "crontab -h 2>&1 | grep -q 'dry run'"], "cron")) return;
  const { folder } = await startRecipeFixture(t);
  const path = join(folder, "crontab");
  for (const [text, code] of [[line, 0] as const, [`99 ${line}`, 1] as const]) {
    await writeFile(path, text);
    assert.equal((await runProgram("crontab", ["-n", path])).code, code, text);
  }
});

test("the GitLab and Jenkins lines send with special characters in the branch name", async (t) => {
  if (!isInstalledOrSkip(t, CURL, "curl")) return;
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const gitlab = /^ {4}- \|\n((?: {6}.*\n)+)/mu.exec(
    findBlock("gitlab-and-jenkins.md", "yaml"),
  )?.[1];
  const jenkins = /sh '''\n([^]*?)'''/u.exec(findBlock("gitlab-and-jenkins.md", "groovy"))?.[1];
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
    const { title, body, link, channel } = await receiveNext();
    assert.deepEqual([[title, body, link], channel], [expected[index], "builds"]);
  }
});

test("the shell scripts of the pages have valid POSIX sh syntax", async () => {
  for (const [page, containing] of [
    ["curl.md", "#!/bin/sh"],
    ["cron.md", "#!/bin/sh"],
    ["systemd.md", "#!/bin/sh"],
  ] as const) {
    const { code, stderr } = await runProgram("sh", ["-n"], {
      input: findBlock(page, "sh", containing),
    });
    assert.equal(code, 0, stderr);
  }
});

test("filling a placeholder that the page does not contain fails", () => {
  assert.throws(
    () => fillPlaceholders("nothing", createPlaceholderValues({ url: "http://x" }, "key")),
    /is not in/,
  );
});
