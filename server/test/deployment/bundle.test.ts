import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { buildMissing } from "../../../scripts/builds.mjs";
import { PushService } from "../doubles/push-service.ts";
import type { SimulatedDevice } from "../doubles/simulated-device.ts";
import { addDevice, signUp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { startServerProcess } from "../support/server-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** More than the main thread encrypts by itself. */
const BROWSER_COUNT = 60;

test("the bundle behind `npm start` sends, records results and serves pages", async (t) => {
  await buildMissing(ROOT);
  const push = await PushService.start();
  t.after(() => push.close());
  const { endpoint } = push.subscribe({ applicationServerKey: "", deliver: () => {} });
  const { url } = await startServerProcess(t, {
    flags: ["--conditions=bundled"],
    environment: {
      TOCSIN_DATA_DIR: await createTemporaryFolder(t),
      TOCSIN_WEBPUSH_ALLOW_ORIGINS: new URL(endpoint).origin,
      TOCSIN_VAPID_SUBJECT: "mailto:ops@example.org",
    },
  });
  const ann = await signUp({ url }, "Ann");
  const phones: SimulatedDevice[] = [];
  for (let count = 0; count < BROWSER_COUNT; count += 1)
    phones.push((await addDevice({ push }, ann)).phone);
  const { message, notificationId } = await ann.client.notify({
    title: "Bell",
    body: "**All** is well",
    markdown: true,
  });
  assert.equal(message, `Delivered to ${BROWSER_COUNT} of ${BROWSER_COUNT} devices`);
  for (const phone of phones) assert.match((await phone.next()).text, /"All is well/);
  await eventually(
    () => ann.client.notifications.deliveries(notificationId ?? "", { limit: 100 }),
    ({ items }) =>
      items.length === BROWSER_COUNT && items.every(({ state }) => state === "accepted"),
  );
  for (const path of ["/", "/docs", "/openapi.json", "/healthz"])
    assert.equal((await fetch(`${url}${path}`)).status, 200, path);
  assert.equal((await fetch(`${url}/api/v1/notify`, { method: "DELETE" })).status, 405);
});

test("every file that the bundle references by URL is part of the bundle", async () => {
  await buildMissing(ROOT);
  const folder = join(ROOT, "server/dist/bundle");
  const files = await readdir(folder);
  const referencedFiles: string[] = [];
  for (const file of files) {
    const code = await readFile(join(folder, file), "utf8");
    // Paths outside the folder point to the console or to installed packages.
    for (const [, name = ""] of code.matchAll(/new URL\("(?!\.\.\/)([^"]+)", import\.meta\.url\)/g))
      referencedFiles.push(name);
  }
  assert.ok(referencedFiles.length >= 6, referencedFiles.join());
  for (const name of referencedFiles) assert.ok(files.includes(name.replace("./", "")), name);
});
