import assert from "node:assert/strict";
import test from "node:test";
import { ask } from "../contract/ask.ts";
import { blockOf, fill, readPage } from "./page.ts";
import { GRAFANA, UPTIME_KUMA } from "./recorded.ts";
import { setStage } from "./stage.ts";

const ANEW =
  "The page has changed: let the program itself make of it what is recorded, and record that.";
const PATH = "/api/v1/notify";

test("Uptime Kuma's request by the page reaches a phone", async (t) => {
  assert.equal(blockOf("uptime-kuma.md", "liquid"), UPTIME_KUMA.given, ANEW);
  assert.match(readPage("uptime-kuma.md"), new RegExp(`https://push\\.example\\.org${PATH}\``));
  const { app, ann, arrived } = await setStage(t);
  const own = JSON.parse(fill(blockOf("uptime-kuma.md", "json"), { YOUR_API_KEY: ann.key }));
  const headers = { ...UPTIME_KUMA.headers, ...own };
  const { body } = UPTIME_KUMA;
  assert.equal((await ask(app.url, { method: "POST", path: PATH, headers, body })).status, 200);
  const { title, body: text, channel, timeSensitive } = await arrived();
  assert.deepEqual([title, channel, timeSensitive], ['My "web"', "uptime", true]);
  assert.equal(text, '[My "web"] [\u{1f534} Down] timeout\nof 48000ms');
});

test("without the content type of the page, Uptime Kuma is refused", async (t) => {
  const { app, ann } = await setStage(t);
  const headers = {
    ...UPTIME_KUMA.headers,
    "content-type": "application/x-www-form-urlencoded",
    "x-api-key": ann.key,
  };
  const { body } = UPTIME_KUMA;
  assert.equal((await ask(app.url, { method: "POST", path: PATH, headers, body })).status, 400);
});

test("Grafana's request by the page reaches a phone", async (t) => {
  assert.equal(blockOf("grafana.md", "go-template"), GRAFANA.given, ANEW);
  const settings = blockOf("grafana.md", "yaml");
  assert.match(settings, /template: '\{\{ template "tocsin" \. \}\}'/);
  const { app, ann, arrived } = await setStage(t);
  const setting = (name: string) =>
    new RegExp(`^ +${name}: (\\S+)$`, "m").exec(fill(settings, { YOUR_API_KEY: ann.key }))?.[1];
  const { pathname } = new URL(setting("url") ?? "");
  const headers = { ...GRAFANA.headers, "x-api-key": setting("x-api-key") };
  const { body } = GRAFANA;
  const question = { method: setting("httpMethod") ?? "", path: pathname, headers, body };
  assert.equal((await ask(app.url, question)).status, 200);
  const { title, body: text, link, channel } = await arrived();
  assert.deepEqual(
    [title, link, channel],
    ["[FIRING:1] DiskFull (db:9100)", "https://grafana.example.org/", "grafana"],
  );
  assert.match(text, /summary = Disk "\/var" is at 97 %: \u00fc/);
});

test("the webhook request of earlier versions of Grafana is refused, as the page says", async (t) => {
  const { app, ann } = await setStage(t);
  const fields = {
    title: "[FIRING:1] DiskFull",
    state: "alerting",
    message: "Disk full",
    alerts: [],
  };
  const headers = { ...GRAFANA.headers, "x-api-key": ann.key };
  const question = { method: "POST", path: PATH, headers, body: JSON.stringify(fields) };
  assert.equal((await ask(app.url, question)).status, 400);
});
