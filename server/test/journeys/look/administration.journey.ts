import test from "node:test";
import { lookAt } from "../../support/console-look.ts";
import { setUp, startStage } from "../../support/console-stage.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";
import { linkToken } from "../../support/link-token.ts";

const PEOPLE = ["Ben Okonkwo", "Dr. Friederike Alexandra Müller-Lüdenscheidt", "李小龙"];

test("the pages of administrators break no rule of WCAG 2.2 A and AA", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const stage = await startStage(t, browsers);
  const { page, client } = await setUp(stage, browsers);
  for (const [index, name] of PEOPLE.entries()) {
    const { link } = await client.admin.invitations.create();
    const token = linkToken(link);
    const email = `person.with.a.long.address.${index}@subdomain.example.org`;
    await stage.anonymous.signUp({ email, name, password: "a password of theirs", token });
  }
  await client.admin.invitations.create({ email: "invited@example.org" });
  const { items } = await client.admin.accounts.list({ q: "Friederike" });
  await client.admin.accounts.update(items[0]?.id ?? "", { isSuspended: true });
  const onAccounts = { path: "/admin/accounts", shows: "main li" };
  const menu = "Actions for Ben Okonkwo";
  await lookAt(page, {
    sights: [
      { name: "first-run", path: "/", shows: "main ::-p-text(Who can create an account)" },
      { name: "providers", path: "/providers", shows: "[data-provider=fcm]" },
      { name: "admin-health", path: "/admin", shows: "main dl" },
      { name: "admin-accounts", ...onAccounts },
      { name: "admin-menu", ...onAccounts, opens: { button: menu, shows: '[role="menu"]' } },
      {
        name: "admin-suspend",
        ...onAccounts,
        opens: { button: [menu, "Suspend"], shows: '[role="dialog"]' },
      },
      {
        name: "admin-reset-link",
        ...onAccounts,
        opens: { button: [menu, "Create password reset link"], shows: '[role="dialog"]' },
      },
      {
        name: "admin-invite",
        ...onAccounts,
        opens: { button: "Invite a person", shows: '[role="dialog"]' },
      },
      { name: "admin-rules", path: "/admin/rules", shows: "main section" },
      { name: "admin-mail", path: "/admin/mail", shows: "main section" },
      { name: "admin-audit", path: "/admin/audit", shows: "main li" },
    ],
  });
});
