import assert from "node:assert/strict";
import test from "node:test";
import { ANN, setUpServer, startConsoleFixture } from "../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("the console starts offline, reports what it cannot load, and recovers with the server", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  await page.tab.evaluate("navigator.serviceWorker.ready.then(() => {})");
  await page.leave();
  await fixture.restart(async () => {
    await page.tab.goto(fixture.url);
    assert.match(await page.waitFor('main [role="alert"]'), /could not be loaded/);
    await page.navigate("Devices");
    await page.waitFor("main h1 ::-p-text(Devices)");
    await page.navigate("Notifications");
    await page.waitFor('main [role="alert"]');
  });
  await page.press("Try again");
  assert.match(await page.waitFor("main ol"), /Create an API key/);
});

test("a page that is opened after sign-out leads to sign-in, which returns to the page", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  await page.navigate("Profile & security");
  await page.press("Sign out");
  await page.waitFor("h1 ::-p-text(Sign in)");
  await page.tab.goto(`${fixture.url}/keys`);
  await page.fillIn({ email: ANN.email, password: "not this one" });
  await page.press("Sign in");
  assert.match(await page.waitFor('form [role="alert"]'), /email address or the password is wrong/);
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
  await page.waitFor("h1 ::-p-text(API keys)");
  assert.equal(new URL(page.tab.url()).pathname, "/keys");
  assert.deepEqual(
    page.consoleErrors.filter((error) => !error.includes("401")),
    [],
  );
});

test("the language and colours chosen for a browser survive a reload", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  await page.navigate("Profile & security");
  await page.tab.locator("label ::-p-text(Dark)").click();
  await page.tab.locator('input[aria-labelledby="language"]').click();
  await page.tab.locator('[role="option"] ::-p-text(Deutsch)').click();
  const chosenLook = 'html[lang="de"][data-mantine-color-scheme="dark"]';
  await page.waitFor(chosenLook);
  await page.tab.reload();
  await page.waitFor(chosenLook);
  assert.equal(await page.waitFor("h1"), "Profil");
  assert.deepEqual(page.consoleErrors, []);
});

test("the command palette opens pages from the keyboard", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page } = await setUpServer(fixture, browsers);
  await page.tab.keyboard.down("Control");
  await page.tab.keyboard.press("k");
  await page.tab.keyboard.up("Control");
  await page.tab.locator('[role="dialog"] input').fill("API k");
  await page.tab.keyboard.press("Enter");
  await page.waitFor("h1 ::-p-text(API keys)");
  await page.press("Create an API key");
  await page.fillIn({ label: "Backup" });
  await page.press("Create the key");
  await page.waitFor('[role="group"][aria-label="API key"]');
  await page.waitFor("main li ::-p-text(Backup)");
  assert.deepEqual(page.consoleErrors, []);
});
