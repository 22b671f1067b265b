import assert from "node:assert/strict";
import test from "node:test";
import { requestJson } from "../contract/http-requests.ts";
import { findBlock, fillPlaceholders, readPage } from "./page.ts";
import { GRAFANA, UPTIME_KUMA } from "./recorded-requests.ts";
import { startRecipeFixture } from "./recipe-fixture.ts";

const RECORD_AGAIN =
  "The page has changed. Run the program with the new template and record its request again.";
const PATH = "/api/v1/notify";

test("Uptime Kuma's request with the page's template reaches a phone", async (t) => {
  assert.equal(findBlock("uptime-kuma.md", "liquid"), UPTIME_KUMA.template, RECORD_AGAIN);
  assert.match(readPage("uptime-kuma.md"), new RegExp(`https://push\\.example\\.org${PATH}\``));
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const pageHeaders = JSON.parse(
    fillPlaceholders(findBlock("uptime-kuma.md", "json"), { YOUR_API_KEY: ann.key }),
  );
  const headers = { ...UPTIME_KUMA.headers, ...pageHeaders };
  const { body } = UPTIME_KUMA;
  assert.equal(
    (await requestJson(app.url, { method: "POST", path: PATH, headers, body })).status,
    200,
  );
  const { title, body: text, channel, timeSensitive } = await receiveNext();
  assert.deepEqual([title, channel, timeSensitive], ['My "web"', "uptime", true]);
  assert.equal(text, '[My "web"] [\u{1f534} Down] timeout\nof 48000ms');
});

test("Uptime Kuma is rejected without the page's content type", async (t) => {
  const { app, ann } = await startRecipeFixture(t);
  const headers = {
    ...UPTIME_KUMA.headers,
    "content-type": "application/x-www-form-urlencoded",
    "x-api-key": ann.key,
  };
  const { body } = UPTIME_KUMA;
  assert.equal(
    (await requestJson(app.url, { method: "POST", path: PATH, headers, body })).status,
    400,
  );
});

test("Grafana's request with the page's template reaches a phone", async (t) => {
  assert.equal(findBlock("grafana.md", "go-template"), GRAFANA.template, RECORD_AGAIN);
  const settings = findBlock("grafana.md", "yaml");
  assert.match(settings, /template: '\{\{ template "tocsin" \. \}\}'/);
  const { app, ann, receiveNext } = await startRecipeFixture(t);
  const readGrafanaSetting = (name: string) =>
    new RegExp(`^ +${name}: (\\S+)$`, "m").exec(
      fillPlaceholders(settings, { YOUR_API_KEY: ann.key }),
    )?.[1];
  const { pathname } = new URL(readGrafanaSetting("url") ?? "");
  const headers = { ...GRAFANA.headers, "x-api-key": readGrafanaSetting("x-api-key") };
  const { body } = GRAFANA;
  const request = { method: readGrafanaSetting("httpMethod") ?? "", path: pathname, headers, body };
  assert.equal((await requestJson(app.url, request)).status, 200);
  const { title, body: text, link, channel } = await receiveNext();
  assert.deepEqual(
    [title, link, channel],
    ["[FIRING:1] DiskFull (db:9100)", "https://grafana.example.org/", "grafana"],
  );
  assert.match(text, /summary = Disk "\/var" is at 97 %: \u00fc/);
});

test("the webhook payload of earlier Grafana versions is rejected, as the page says", async (t) => {
  const { app, ann } = await startRecipeFixture(t);
  const fields = {
    title: "[FIRING:1] DiskFull",
    state: "alerting",
    message: "Disk full",
    alerts: [],
  };
  const headers = { ...GRAFANA.headers, "x-api-key": ann.key };
  const request = { method: "POST", path: PATH, headers, body: JSON.stringify(fields) };
  assert.equal((await requestJson(app.url, request)).status, 400);
});
