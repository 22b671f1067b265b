import assert from "node:assert/strict";
import { test } from "node:test";
import { INVITATION_TTL_MS, type PendingInvitation } from "../invitations/invitation.ts";
import { planInvitation, type InvitationFacts } from "./plan.ts";

const HOUR_MS = 3_600_000;
const now = Date.UTC(2026, 0, 8);

const createFacts = (overrides: Partial<InvitationFacts> = {}): InvitationFacts => ({
  inviterRole: "admin",
  isMember: false,
  pending: null,
  isOwnInvitation: true,
  isPendingInviterSuspended: false,
  invitedCount: 0,
  mailedCount: 0,
  hasRefusedMails: false,
  ...overrides,
});
const createPending = (ageMs: number, mailedAgeMs: number | null = ageMs): PendingInvitation => ({
  id: "i",
  email: "bob@example.org",
  createdAt: now - ageMs,
  expiresAt: now - ageMs + INVITATION_TTL_MS,
  mailedAt: mailedAgeMs === null ? null : now - mailedAgeMs,
});
const withLink = { now, isLinkShown: true };
const byMail = { now, isLinkShown: false };

test("a first invitation is issued with an email", () => {
  const plan = { kind: "issue", pending: null, isMailed: true };
  assert.deepEqual(planInvitation(createFacts(), withLink), plan);
  assert.deepEqual(planInvitation(createFacts(), byMail), plan);
});

test("only owners and admins can invite, and members are not invited again", () => {
  const member = createFacts({ inviterRole: "member" });
  assert.throws(() => planInvitation(member, byMail), { code: "forbidden" });
  assert.deepEqual(planInvitation(createFacts({ isMember: true }), withLink), { kind: "member" });
});

test("within 24 hours a repeated invitation changes at most its link", () => {
  const pending = createPending(24 * HOUR_MS - 1);
  assert.deepEqual(planInvitation(createFacts({ pending }), byMail), {
    kind: "unchanged",
    pending,
  });
  assert.deepEqual(planInvitation(createFacts({ pending }), withLink), { kind: "relink", pending });
});

test("an invitation that is repeated after 24 hours is emailed again", () => {
  const pending = createPending(24 * HOUR_MS);
  const plan = { kind: "issue", pending, isMailed: true };
  assert.deepEqual(planInvitation(createFacts({ pending }), byMail), plan);
  assert.deepEqual(planInvitation(createFacts({ pending }), withLink), plan);
});

test("the fourth email to a recipient is not sent, but the invitation is issued", () => {
  const mailLimitFacts = createFacts({ mailedCount: 3 });
  assert.deepEqual(planInvitation(mailLimitFacts, byMail), {
    kind: "issue",
    pending: null,
    isMailed: false,
  });
  const pending = createPending(30 * HOUR_MS, null);
  const unchanged = { kind: "unchanged", pending };
  assert.deepEqual(planInvitation({ ...mailLimitFacts, pending }, byMail), unchanged);
});

test("an unsubscribed address is treated like a rate-limited one", () => {
  const unsubscribed = createFacts({ hasRefusedMails: true });
  const rateLimited = createFacts({ mailedCount: 3 });
  const pendingInvitations = [null, createPending(HOUR_MS), createPending(30 * HOUR_MS, null)];
  for (const pending of [
    ...pendingInvitations,
    createPending(30 * HOUR_MS),
    createPending(INVITATION_TTL_MS),
  ]) {
    for (const options of [withLink, byMail]) {
      const plan = planInvitation({ ...unsubscribed, pending }, options);
      assert.deepEqual(plan, planInvitation({ ...rateLimited, pending }, options));
      assert.ok(plan.kind !== "issue" || !plan.isMailed);
    }
  }
});

test("an expired invitation is issued again, which replaces its links", () => {
  const pending = createPending(INVITATION_TTL_MS);
  const plan = { kind: "issue", pending, isMailed: false };
  assert.deepEqual(planInvitation(createFacts({ pending, mailedCount: 3 }), withLink), plan);
});

test("the 21st invitation in 24 hours is refused, but not a new link for an old one", () => {
  const inviteLimitFacts = createFacts({ invitedCount: 20 });
  assert.throws(() => planInvitation(inviteLimitFacts, byMail), { code: "invite_limit" });
  const pending = createPending(HOUR_MS);
  assert.equal(planInvitation({ ...inviteLimitFacts, pending }, withLink).kind, "relink");
});

test("a new link for another manager's invitation counts against the inviter", () => {
  const pending = createPending(HOUR_MS);
  const othersInvitation = createFacts({ pending, isOwnInvitation: false });
  assert.deepEqual(planInvitation(othersInvitation, withLink), { kind: "relink", pending });
  assert.throws(() => planInvitation({ ...othersInvitation, invitedCount: 20 }, withLink), {
    code: "invite_limit",
  });
  assert.deepEqual(
    planInvitation({ ...othersInvitation, isOwnInvitation: true, invitedCount: 20 }, withLink),
    {
      kind: "relink",
      pending,
    },
  );
});

test("an invitation by a suspended member is issued again", () => {
  const pending = createPending(HOUR_MS);
  const suspendedInviterFacts = createFacts({
    pending,
    isOwnInvitation: false,
    isPendingInviterSuspended: true,
  });
  const plan = { kind: "issue", pending, isMailed: false };
  for (const options of [withLink, byMail])
    assert.deepEqual(planInvitation(suspendedInviterFacts, options), plan);
});
