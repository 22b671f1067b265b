import assert from "node:assert/strict";
import test from "node:test";
import { ANN, setUp, startStage } from "../support/console-stage.ts";
import { PUSH_BROWSERS } from "../support/push-browsers.ts";

test("the console starts offline, reports what it cannot load, and recovers with the server", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page } = await setUp(stage, browsers);
  await page.page.evaluate("navigator.serviceWorker.ready.then(() => {})");
  await page.leave();
  await stage.restart(async () => {
    await page.page.goto(stage.url);
    assert.match(await page.see('main [role="alert"]'), /could not be loaded/);
    await page.go("Devices");
    await page.see("main h1 ::-p-text(Devices)");
    await page.go("Notifications");
    await page.see('main [role="alert"]');
  });
  await page.press("Try again");
  assert.match(await page.see("main ol"), /Create an API key/);
});

test("after sign-out, a page asks to sign in and then returns to it", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page } = await setUp(stage, browsers);
  await page.go("Profile & security");
  await page.press("Sign out");
  await page.see("h1 ::-p-text(Sign in)");
  await page.page.goto(`${stage.url}/keys`);
  await page.fillIn({ email: ANN.email, password: "not this one" });
  await page.press("Sign in");
  assert.match(await page.see('form [role="alert"]'), /e-mail address or the password is wrong/);
  await page.fillIn({ email: ANN.email, password: ANN.password });
  await page.press("Sign in");
  await page.see("h1 ::-p-text(API keys)");
  assert.equal(new URL(page.page.url()).pathname, "/keys");
  assert.deepEqual(
    page.complaints.filter((complaint) => !complaint.includes("401")),
    [],
  );
});

test("the language and colours chosen for a browser survive a reload", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page } = await setUp(stage, browsers);
  await page.go("Profile & security");
  await page.page.locator("label ::-p-text(Dark)").click();
  await page.page.locator('input[aria-labelledby="language"]').click();
  await page.page.locator('[role="option"] ::-p-text(Deutsch)').click();
  const chosenLook = 'html[lang="de"][data-mantine-color-scheme="dark"]';
  await page.see(chosenLook);
  await page.page.reload();
  await page.see(chosenLook);
  assert.equal(await page.see("h1"), "Profil");
  assert.deepEqual(page.complaints, []);
});

test("the command palette opens pages from the keyboard", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page } = await setUp(stage, browsers);
  await page.page.keyboard.down("Control");
  await page.page.keyboard.press("k");
  await page.page.keyboard.up("Control");
  await page.page.locator('[role="dialog"] input').fill("API k");
  await page.page.keyboard.press("Enter");
  await page.see("h1 ::-p-text(API keys)");
  await page.press("Create an API key");
  await page.fillIn({ label: "Backup" });
  await page.press("Create the key");
  await page.see('[role="group"][aria-label="API key"]');
  await page.see("main li ::-p-text(Backup)");
  assert.deepEqual(page.complaints, []);
});
