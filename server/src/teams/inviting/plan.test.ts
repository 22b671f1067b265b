import assert from "node:assert/strict";
import { test } from "node:test";
import { VALIDITY_MS, type PendingInvitation } from "../invitations/invitation.ts";
import { planInvitation, type InvitationFacts } from "./plan.ts";

const HOUR_MS = 3_600_000;
const now = Date.UTC(2026, 0, 8);

const facts = (overrides: Partial<InvitationFacts> = {}): InvitationFacts => ({
  inviterRole: "admin",
  isMember: false,
  pending: null,
  isOwnInvitation: true,
  isInviterSuspended: false,
  invited: 0,
  mailed: 0,
  refusesMails: false,
  ...overrides,
});
const pendingSince = (ageMs: number, mailedAgeMs: number | null = ageMs): PendingInvitation => ({
  id: "i",
  email: "bob@example.org",
  createdAt: now - ageMs,
  expiresAt: now - ageMs + VALIDITY_MS,
  mailedAt: mailedAgeMs === null ? null : now - mailedAgeMs,
});
const withLink = { now, isLinkShown: true };
const byMail = { now, isLinkShown: false };

test("a first invitation is issued with a mail", () => {
  const plan = { kind: "issue", pending: null, sendsMail: true };
  assert.deepEqual(planInvitation(facts(), withLink), plan);
  assert.deepEqual(planInvitation(facts(), byMail), plan);
});

test("only owners and admins can invite, and members are not invited again", () => {
  const member = facts({ inviterRole: "member" });
  assert.throws(() => planInvitation(member, byMail), { code: "forbidden" });
  assert.deepEqual(planInvitation(facts({ isMember: true }), withLink), { kind: "member" });
});

test("within 24 hours a repeated invitation changes at most its link", () => {
  const pending = pendingSince(24 * HOUR_MS - 1);
  assert.deepEqual(planInvitation(facts({ pending }), byMail), { kind: "unchanged", pending });
  assert.deepEqual(planInvitation(facts({ pending }), withLink), { kind: "relink", pending });
});

test("after 24 hours a repeated invitation is mailed again", () => {
  const pending = pendingSince(24 * HOUR_MS);
  const plan = { kind: "issue", pending, sendsMail: true };
  assert.deepEqual(planInvitation(facts({ pending }), byMail), plan);
  assert.deepEqual(planInvitation(facts({ pending }), withLink), plan);
});

test("the fourth mail to a recipient is not sent, but the invitation is issued", () => {
  const mailed = facts({ mailed: 3 });
  assert.deepEqual(planInvitation(mailed, byMail), {
    kind: "issue",
    pending: null,
    sendsMail: false,
  });
  const pending = pendingSince(30 * HOUR_MS, null);
  const unchanged = { kind: "unchanged", pending };
  assert.deepEqual(planInvitation({ ...mailed, pending }, byMail), unchanged);
});

test("an unsubscribed address is treated like a rate-limited one", () => {
  const [unsubscribed, rateLimited] = [facts({ refusesMails: true }), facts({ mailed: 3 })];
  const pendings = [null, pendingSince(HOUR_MS), pendingSince(30 * HOUR_MS, null)];
  for (const pending of [...pendings, pendingSince(30 * HOUR_MS), pendingSince(VALIDITY_MS)]) {
    for (const options of [withLink, byMail]) {
      const plan = planInvitation({ ...unsubscribed, pending }, options);
      assert.deepEqual(plan, planInvitation({ ...rateLimited, pending }, options));
      assert.ok(plan.kind !== "issue" || !plan.sendsMail);
    }
  }
});

test("an expired invitation is issued again, and its old links stay invalid", () => {
  const pending = pendingSince(VALIDITY_MS);
  const plan = { kind: "issue", pending, sendsMail: false };
  assert.deepEqual(planInvitation(facts({ pending, mailed: 3 }), withLink), plan);
});

test("the 21st invitation in 24 hours is refused, but not a new link for an old one", () => {
  const limited = facts({ invited: 20 });
  assert.throws(() => planInvitation(limited, byMail), { code: "invite_limit" });
  const pending = pendingSince(HOUR_MS);
  assert.equal(planInvitation({ ...limited, pending }, withLink).kind, "relink");
});

test("a new link for another manager's invitation counts against the inviter", () => {
  const pending = pendingSince(HOUR_MS);
  const othersInvitation = facts({ pending, isOwnInvitation: false });
  assert.deepEqual(planInvitation(othersInvitation, withLink), { kind: "relink", pending });
  assert.throws(() => planInvitation({ ...othersInvitation, invited: 20 }, withLink), {
    code: "invite_limit",
  });
  assert.deepEqual(
    planInvitation({ ...othersInvitation, isOwnInvitation: true, invited: 20 }, withLink),
    {
      kind: "relink",
      pending,
    },
  );
});

test("an invitation by a suspended member is issued again", () => {
  const pending = pendingSince(HOUR_MS);
  const suspended = facts({ pending, isOwnInvitation: false, isInviterSuspended: true });
  const plan = { kind: "issue", pending, sendsMail: false };
  for (const options of [withLink, byMail])
    assert.deepEqual(planInvitation(suspended, options), plan);
});
