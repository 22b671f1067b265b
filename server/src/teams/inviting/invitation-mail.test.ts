import assert from "node:assert/strict";
import { test } from "node:test";
import { createInvitationMail } from "./invitation-mail.ts";

const link = "https://push.example.org/invitation#token=abc";
const createMail = (teamName: string, inviterName = "Ann") =>
  createInvitationMail({
    to: "bob@example.org",
    teamName,
    inviter: { name: inviterName, email: "ann@example.org" },
    link,
  });

test("an invitation email names the team, the inviter and the link", () => {
  const { to, subject, text } = createMail("Night shift");
  assert.equal(to, "bob@example.org");
  assert.equal(subject, "Invitation to Night shift");
  assert.match(text, /^Ann \(ann@example\.org\) invites you to the team Night shift\./);
  assert.ok(text.includes(`\n${link}\n`));
});

test("the last line of an invitation email says how to unsubscribe", () => {
  const line =
    'If you do not want such emails, open the page above and choose "No more invitation emails".';
  assert.equal(createMail("Ops").text.trimEnd().split("\n").at(-1), line);
});

test("names in an invitation email cannot contain links, addresses or headers", () => {
  const maliciousNames = [
    "http://evil.test/x",
    "www.evil.test",
    "evil。test",
    "evil．test／x",
    "ann@evil.test",
    "a\r\nBcc: x@evil.test",
    "a\u202Etset.live",
    "javascript:alert(1)",
  ];
  for (const name of maliciousNames) {
    for (const { subject, text } of [createMail(name), createMail("Ops", name)]) {
      const [sentence = ""] = text.split("\n");
      const userText = `${subject} ${sentence}`.replace("ann@example.org", "").replace(/\.$/, "");
      assert.equal(text.split("\n").length, createMail("Ops").text.split("\n").length);
      assert.doesNotMatch(userText, /[:/@\\]|\w\.\w|[\r\u202A-\u202E。．／]/u, name);
    }
  }
});

test("an empty name is replaced", () => {
  assert.equal(createMail("...").subject, "Invitation to a team");
  assert.match(createMail("Ops", "://").text, /^Someone \(/);
});
