import test from "node:test";
import { inspectViews } from "../../support/console-inspection.ts";
import type { ConsolePage } from "../../support/console-page.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";
import { parseLinkToken } from "../../support/link-token.ts";

const ON_PROVIDERS = { path: "/providers", waitFor: "[data-provider=fcm]" };
const PEOPLE = ["Ben Okonkwo", "Dr. Friederike Alexandra Müller-Lüdenscheidt", "李小龙"];

test("the pages of administrators meet WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers);
  const { page, client } = await setUpServer(fixture, browsers);
  for (const [index, name] of PEOPLE.entries()) {
    const { link } = await client.admin.invitations.create();
    const token = parseLinkToken(link);
    const email = `person.with.a.long.address.${index}@subdomain.example.org`;
    await fixture.anonymous.signUp({ email, name, password: "a password of theirs", token });
  }
  await client.admin.invitations.create({ email: "invited@example.org" });
  const { items } = await client.admin.accounts.list({ q: "Friederike" });
  await client.admin.accounts.update(items[0]?.id ?? "", { isSuspended: true });
  const onAccounts = { path: "/admin/accounts", waitFor: "main li" };
  const menu = "Actions for Ben Okonkwo";
  await inspectViews(page, {
    views: [
      { name: "first-run", path: "/", waitFor: "main ::-p-text(Who can create an account)" },
      { name: "providers", ...ON_PROVIDERS },
      { name: "providers-iphones", ...ON_PROVIDERS, prepare: openIphoneSteps },
      { name: "admin-health", path: "/admin", waitFor: "main dl" },
      { name: "admin-accounts", ...onAccounts },
      { name: "admin-menu", ...onAccounts, thenPress: { button: menu, waitFor: '[role="menu"]' } },
      {
        name: "admin-suspend",
        ...onAccounts,
        thenPress: { button: [menu, "Suspend"], waitFor: '[role="dialog"]' },
      },
      {
        name: "admin-reset-link",
        ...onAccounts,
        thenPress: { button: [menu, "Create password reset link"], waitFor: '[role="dialog"]' },
      },
      {
        name: "admin-invite",
        ...onAccounts,
        thenPress: { button: "Invite a person", waitFor: '[role="dialog"]' },
      },
      { name: "admin-rules", path: "/admin/rules", waitFor: "main section" },
      { name: "admin-mail", path: "/admin/mail", waitFor: "main section" },
      { name: "admin-audit", path: "/admin/audit", waitFor: "main li" },
    ],
  });
});

test("the page of the providers says which server wakes iPhones with the ntfy app", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const fixture = await startConsoleFixture(t, browsers, {
    TOCSIN_NTFY_UPSTREAM: "https://ntfy.sh",
  });
  const { page } = await setUpServer(fixture, browsers);
  await inspectViews(page, {
    views: [{ name: "providers-iphones-woken", ...ON_PROVIDERS, prepare: openIphoneSteps }],
  });
});

/** Opens the steps of the last card, and scrolls to it. */
async function openIphoneSteps(page: ConsolePage): Promise<void> {
  await page.tab.evaluate(`{
    const steps = [...document.querySelectorAll("main details")].at(-1);
    steps.open = true;
    steps.scrollIntoView({ block: "end" });
  }`);
}
