import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { codeOf, post } from "../contract/ask.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { isInstalled } from "../support/program.ts";
import { blockOf, fill, placesOf } from "./page.ts";
import { setStage, type Stage } from "./stage.ts";

const ALERTMANAGER = "prometheus-alertmanager";
/** Hardly waits; but who raises many alerts at once hears of them together. */
const ROUTE =
  "route: { receiver: tocsin, group_by: [alertname], group_wait: 500ms, group_interval: 1s }\n";

/** Starts Alertmanager with the receiver of the page, and returns its address. */
async function startAlertmanager(t: TestContext, { app, ann, folder }: Stage): Promise<string> {
  const receiver = fill(blockOf("alertmanager.md", "yaml"), placesOf(app, ann.key));
  const path = join(folder, "alertmanager.yml");
  await writeFile(path, `${ROUTE}${receiver}`);
  const url = `http://127.0.0.1:${await freePort()}`;
  const args = [
    `--config.file=${path}`,
    `--storage.path=${folder}`,
    `--web.listen-address=${new URL(url).host}`,
    "--cluster.listen-address=",
    "--web.external-url=http://alerts.example.org",
    "--web.route-prefix=/",
  ];
  const child = spawn(ALERTMANAGER, args, { stdio: "ignore" });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill();
    await ended;
  });
  await eventually(
    () =>
      fetch(`${url}/-/ready`).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  );
  return url;
}

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly endsAt?: string;
}

async function raise(url: string, alerts: readonly Alert[]): Promise<void> {
  const answer = await fetch(`${url}/api/v2/alerts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(alerts),
  });
  assert.equal(answer.status, 200, await answer.text());
}

test("Alertmanager itself tells when an alert begins and when it ends", async (t) => {
  if (!isInstalled(t, [ALERTMANAGER, "--version"], ALERTMANAGER)) return;
  const stage = await setStage(t);
  const url = await startAlertmanager(t, stage);
  const summary = 'Disk "/var" is at 97 %: \u00fc\nreally';
  const alert = {
    labels: { alertname: "DiskFull", instance: "db:9100" },
    annotations: { summary },
  };
  await raise(url, [alert]);
  const begun = await stage.arrived();
  assert.deepEqual(
    [begun.title, begun.body, begun.link, begun.channel],
    ["FIRING: DiskFull", `${summary}\n`, "http://alerts.example.org", "alerts"],
  );
  await raise(url, [{ ...alert, endsAt: new Date().toISOString() }]);
  const ended = await stage.arrived();
  assert.deepEqual([ended.title, ended.body], ["RESOLVED: DiskFull", `${summary}\n`]);
});

test("Alertmanager tells of a storm in one notification, of which the server takes all", async (t) => {
  if (!isInstalled(t, [ALERTMANAGER, "--version"], ALERTMANAGER)) return;
  const stage = await setStage(t);
  const url = await startAlertmanager(t, stage);
  const storm = Array.from({ length: 200 }, (_, index) => ({
    labels: { alertname: "Storm", instance: `host-${index}` },
    annotations: { summary: `${index} ${"x".repeat(2_000)}` },
  }));
  await raise(url, storm);
  const { title, body } = await stage.arrived();
  assert.equal(title, "FIRING: Storm");
  const lines = body.trimEnd().split("\n");
  assert.deepEqual([lines.length, lines[0]?.length], [20, 500]);
});

test("Alertmanager's own webhook request is refused, as the page says", async (t) => {
  const { app, ann } = await setStage(t);
  const alert = { status: "firing", labels: { alertname: "DiskFull" }, annotations: {} };
  const body = {
    receiver: "tocsin",
    status: "firing",
    alerts: [alert],
    groupLabels: { alertname: "DiskFull" },
    commonLabels: { alertname: "DiskFull" },
    commonAnnotations: {},
    externalURL: "http://alerts.example.org",
    version: "4",
    groupKey: '{}:{alertname="DiskFull"}',
    truncatedAlerts: 0,
  };
  const refused = await post(app.url, { key: ann.key, body });
  assert.deepEqual([refused.status, codeOf(refused)], [400, "invalid_field"]);
  // With `payload`, from 0.32 on: a text with a colon has become an object.
  const parsed = { title: { FIRING: "DiskFull" }, body: "Disk full" };
  assert.equal((await post(app.url, { key: ann.key, body: parsed })).status, 400);
});
