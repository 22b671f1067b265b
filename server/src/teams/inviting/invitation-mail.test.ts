import assert from "node:assert/strict";
import { test } from "node:test";
import { invitationMail } from "./invitation-mail.ts";

const link = "https://push.example.org/invitation#token=abc";
const mailOf = (teamName: string, inviterName = "Ann") =>
  invitationMail({
    to: "bob@example.org",
    teamName,
    inviter: { name: inviterName, email: "ann@example.org" },
    link,
  });

test("an invitation mail names the team, the inviter and the link", () => {
  const { to, subject, text } = mailOf("Night shift");
  assert.equal(to, "bob@example.org");
  assert.equal(subject, "Invitation to Night shift");
  assert.match(text, /^Ann \(ann@example\.org\) invites you to the team Night shift\./);
  assert.ok(text.includes(`\n${link}\n`));
});

test("its last line says how to stop such mails", () => {
  const line =
    'If you do not want such e-mails, open the page above and choose "No more invitation e-mails".';
  assert.equal(mailOf("Ops").text.trimEnd().split("\n").at(-1), line);
});

test("text written by strangers becomes no link, no address and no header", () => {
  const nasty = [
    "http://evil.test/x",
    "www.evil.test",
    "evil。test",
    "evil．test／x",
    "ann@evil.test",
    "a\r\nBcc: x@evil.test",
    "a\u202Etset.live",
    "javascript:alert(1)",
  ];
  for (const name of nasty) {
    for (const { subject, text } of [mailOf(name), mailOf("Ops", name)]) {
      const [sentence = ""] = text.split("\n");
      const foreign = `${subject} ${sentence}`.replace("ann@example.org", "").replace(/\.$/, "");
      assert.equal(text.split("\n").length, mailOf("Ops").text.split("\n").length);
      assert.doesNotMatch(foreign, /[:/@\\]|\w\.\w|[\r\u202A-\u202E。．／]/u, name);
    }
  }
});

test("an empty name is replaced", () => {
  assert.equal(mailOf("...").subject, "Invitation to a team");
  assert.match(mailOf("Ops", "://").text, /^Someone \(/);
});
