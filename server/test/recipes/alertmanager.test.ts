import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { parseErrorCode, post } from "../contract/http-requests.ts";
import { eventually } from "../support/eventually.ts";
import { findFreePort } from "../support/free-port.ts";
import { isInstalledOrSkip } from "../support/program.ts";
import { findBlock, fillPlaceholders, createPlaceholderValues } from "./page.ts";
import { startRecipeFixture, type RecipeFixture } from "./recipe-fixture.ts";

const ALERTMANAGER = "prometheus-alertmanager";
/** Short waits, but long enough to group alerts that are raised together. */
const ROUTE =
  "route: { receiver: tocsin, group_by: [alertname], group_wait: 500ms, group_interval: 1s }\n";

/** Starts Alertmanager with the page's receiver, and returns its URL. */
async function startAlertmanager(
  t: TestContext,
  { app, ann, folder }: RecipeFixture,
): Promise<string> {
  const receiver = fillPlaceholders(
    findBlock("alertmanager.md", "yaml"),
    createPlaceholderValues(app, ann.key),
  );
  const path = join(folder, "alertmanager.yml");
  await writeFile(path, `${ROUTE}${receiver}`);
  const url = `http://127.0.0.1:${await findFreePort()}`;
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

async function raiseAlerts(url: string, alerts: readonly Alert[]): Promise<void> {
  const response = await fetch(`${url}/api/v2/alerts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(alerts),
  });
  assert.equal(response.status, 200, await response.text());
}

test("Alertmanager sends a notification when an alert fires and when it is resolved", async (t) => {
  if (!isInstalledOrSkip(t, [ALERTMANAGER, "--version"], ALERTMANAGER)) return;
  const fixture = await startRecipeFixture(t);
  const url = await startAlertmanager(t, fixture);
  const summary = 'Disk "/var" is at 97 %: \u00fc\nreally';
  const alert = {
    labels: { alertname: "DiskFull", instance: "db:9100" },
    annotations: { summary },
  };
  await raiseAlerts(url, [alert]);
  const firing = await fixture.receiveNext();
  assert.deepEqual(
    [firing.title, firing.body, firing.link, firing.channel],
    ["FIRING: DiskFull", `${summary}\n`, "http://alerts.example.org", "alerts"],
  );
  await raiseAlerts(url, [{ ...alert, endsAt: new Date().toISOString() }]);
  const resolved = await fixture.receiveNext();
  assert.deepEqual([resolved.title, resolved.body], ["RESOLVED: DiskFull", `${summary}\n`]);
});

test("an alert storm becomes one notification that the server accepts", async (t) => {
  if (!isInstalledOrSkip(t, [ALERTMANAGER, "--version"], ALERTMANAGER)) return;
  const fixture = await startRecipeFixture(t);
  const url = await startAlertmanager(t, fixture);
  const alerts = Array.from({ length: 200 }, (_, index) => ({
    labels: { alertname: "Storm", instance: `host-${index}` },
    annotations: { summary: `${index} ${"x".repeat(2_000)}` },
  }));
  await raiseAlerts(url, alerts);
  const { title, body } = await fixture.receiveNext();
  assert.equal(title, "FIRING: Storm");
  const lines = body.trimEnd().split("\n");
  assert.deepEqual([lines.length, lines[0]?.length], [20, 500]);
});

test("Alertmanager's default webhook payload is rejected, as the page says", async (t) => {
  const { app, ann } = await startRecipeFixture(t);
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
  const response = await post(app.url, { key: ann.key, body });
  assert.deepEqual([response.status, parseErrorCode(response)], [400, "invalid_field"]);
  // With `payload`, from 0.32 on: a string with a colon has become an object.
  const parsedBody = { title: { FIRING: "DiskFull" }, body: "Disk full" };
  assert.equal((await post(app.url, { key: ann.key, body: parsedBody })).status, 400);
});
