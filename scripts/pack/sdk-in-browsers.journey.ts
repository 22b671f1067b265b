import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "node:test";
import { addDevice, signUp, startApp } from "../../server/test/support/app.ts";
import { launchChromium, launchFirefox } from "../../server/test/support/browsers.ts";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { buildPackage, PACKAGES } from "./package.ts";

const BROWSERS = { Chromium: launchChromium, Firefox: launchFirefox };

for (const [name, launch] of Object.entries(BROWSERS)) {
  test(`a page in ${name} sends with the SDK as published`, async (t) => {
    const [sdk] = PACKAGES;
    assert.equal(sdk?.workspace, "sdk");
    const folder = await createTemporaryFolder(t);
    await buildPackage(sdk, folder);
    const server = await startApp(t);
    const ann = await signUp(server, "Ann");
    await addDevice(server, ann);
    const browser = await launch();
    t.after(() => browser.close());
    const page = await browser.newPage();
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      // A page of the same origin that loads only the package.
      if (pathname === "/own-page") {
        void request.respond({ contentType: "text/html", body: "<title>Own page</title>" });
      } else if (pathname.startsWith("/package/")) {
        const path = join(folder, pathname.slice("/package/".length));
        void readFile(path, "utf8").then((body) =>
          request.respond({ contentType: "text/javascript", body }),
        );
      } else void request.continue();
    });
    await page.goto(new URL("/own-page", server.url).href);
    const result: unknown = await page.evaluate(
      async (baseUrl, apiKey) => {
        const { createClient } = await import(`${baseUrl}/package/src/index.js`);
        const client = createClient({ baseUrl, apiKey });
        const { success, responses } = await client.notify({ title: "Page", body: "Sent." });
        return { success, devices: responses.length };
      },
      server.url,
      ann.key,
    );
    assert.deepEqual(result, { success: true, devices: 1 });
  });
}
