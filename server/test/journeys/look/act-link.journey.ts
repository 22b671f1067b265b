import assert from "node:assert/strict";
import test from "node:test";
import { signUp } from "../../support/app.ts";
import { inspectViews } from "../../support/console-inspection.ts";
import { setUpServer, startConsoleFixture } from "../../support/console-fixture.ts";
import { eventually } from "../../support/eventually.ts";
import { parseLinkToken } from "../../support/link-token.ts";
import { addMember } from "../../support/team-members.ts";
import { PUSH_BROWSERS } from "../../support/push-browsers.ts";
import { startMailServer } from "../../support/start-mail-server.ts";

test("the link in an alarm email acknowledges the incident on a page without a session", async (t) => {
  const browsers = await PUSH_BROWSERS.Chromium(t);
  const { mail, environment } = await startMailServer(t);
  const fixture = await startConsoleFixture(t, browsers, {
    ...environment,
    TOCSIN_SIGN_UP: "open",
  });
  const ann = await setUpServer(fixture, browsers);
  const ben = await signUp(fixture, "Ben");
  const findLink = async (page: string) => {
    const links = await eventually(
      async () =>
        mail.mails
          .filter(({ to }) => to.includes(ben.email))
          .flatMap(({ text }) => text?.match(/http:\S+#token=\S+/g) ?? [])
          .filter((link) => new URL(link).pathname === page),
      (found) => found.length > 0,
    );
    return links.at(-1) ?? assert.fail();
  };
  await fixture.anonymous.verifyEmail({ token: parseLinkToken(await findLink("/verify")) });
  const { id: teamId, key } = await ann.client.teams.create({ name: "Operations" });
  const accountId = await addMember(ann, teamId, ben);
  const targets = [{ kind: "mail", accountId }] as const;
  const steps = [{ afterSeconds: 0, targets }];
  await ann.client.escalationPolicies.create({ teamId, name: "Nights", steps });
  const alarm = { title: "Disk full on db-2", body: "99 %", priority: "emergency" } as const;
  await ben.withKey(key).notify({ ...alarm, escalation: "Nights" });
  const link = await findLink("/a");

  const page = await browsers.open(link);
  await page.waitFor("h1 ::-p-text(Disk full on db-2)");
  assert.equal(page.tab.url(), `${fixture.url}/a`);
  const { pathname, hash } = new URL(link);
  const path = `${pathname}${hash}`;
  await inspectViews(page, { views: [{ name: "act-link", path, waitFor: "main button" }] });
  await page.press("Acknowledge");
  await page.waitFor('main [role="status"] ::-p-text(You have it)');
  await page.waitFor("main ::-p-text(Acknowledged by Ben)");
  const takenView = { path, waitFor: 'main [data-link-state="acknowledged"]' };
  const views = [
    { name: "act-link-taken", ...takenView },
    { name: "act-link-incomplete", path: "/a", waitFor: 'main [data-link-state="incomplete"]' },
  ];
  await inspectViews(page, { views });
  await ann.client.teams.removeMember(teamId, accountId);
  await inspectViews(page, {
    views: [{ name: "act-link-left", path, waitFor: 'main [data-link-state="left"]' }],
    expectedErrors: /403/u,
  });
});
