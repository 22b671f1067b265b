import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRemoval, decideRoleChange, requireManager, type MembershipFacts } from "./member.ts";

const createFacts = (overrides: Partial<MembershipFacts>): MembershipFacts => ({
  actorRole: "owner",
  memberRole: "member",
  isSelf: false,
  ownerCount: 1,
  ...overrides,
});
const createOwnFacts = (role: MembershipFacts["actorRole"], ownerCount = 1) =>
  createFacts({ actorRole: role, memberRole: role, isSelf: true, ownerCount });

test("owners and admins manage a team; members cannot, and other accounts do not see it", () => {
  requireManager("owner");
  requireManager("admin");
  assert.throws(() => requireManager("member"), { code: "forbidden" });
  assert.throws(() => requireManager(null), { code: "not_found" });
});

test("owners can remove anyone, admins anyone but owners, members no other member", () => {
  assert.deepEqual(decideRemoval(createFacts({ memberRole: "owner", ownerCount: 2 })), {
    kind: "end",
  });
  assert.deepEqual(decideRemoval(createFacts({ actorRole: "admin", memberRole: "admin" })), {
    kind: "end",
  });
  const byAdmin = createFacts({ actorRole: "admin", memberRole: "owner", ownerCount: 2 });
  assert.throws(() => decideRemoval(byAdmin), { code: "forbidden" });
  assert.throws(() => decideRemoval(createFacts({ actorRole: "member" })), { code: "forbidden" });
});

test("a removal by a plain member does not reveal which members exist", () => {
  const absentMember = createFacts({ actorRole: "member", memberRole: null });
  assert.throws(() => decideRemoval(absentMember), { code: "forbidden" });
  assert.throws(() => decideRemoval(createFacts({ actorRole: null })), { code: "not_found" });
  assert.throws(() => decideRemoval(createFacts({ memberRole: null })), { code: "not_found" });
});

test("everyone but the last owner may leave", () => {
  assert.deepEqual(decideRemoval(createOwnFacts("member")), { kind: "end" });
  assert.deepEqual(decideRemoval(createOwnFacts("admin")), { kind: "end" });
  assert.deepEqual(decideRemoval(createOwnFacts("owner", 2)), { kind: "end" });
  assert.throws(() => decideRemoval(createOwnFacts("owner")), { code: "last_owner" });
  assert.throws(() => decideRemoval(createOwnFacts(null)), { code: "not_found" });
});

test("admins can change members and admins, but cannot create owners", () => {
  const admin = createFacts({ actorRole: "admin" });
  assert.deepEqual(decideRoleChange(admin, "admin"), { kind: "role", role: "admin" });
  assert.throws(() => decideRoleChange(admin, "owner"), { code: "forbidden" });
  const overOwner = createFacts({ actorRole: "admin", memberRole: "owner", ownerCount: 2 });
  assert.throws(() => decideRoleChange(overOwner, "member"), { code: "forbidden" });
  assert.throws(() => decideRoleChange(createOwnFacts("admin"), "owner"), { code: "forbidden" });
});

test("a plain member cannot change any role", () => {
  assert.throws(() => decideRoleChange(createOwnFacts("member"), "admin"), { code: "forbidden" });
  assert.throws(() => decideRoleChange(createFacts({ actorRole: "member" }), "member"), {
    code: "forbidden",
  });
});

test("the last owner cannot give up the role", () => {
  assert.throws(() => decideRoleChange(createOwnFacts("owner"), "admin"), { code: "last_owner" });
  assert.deepEqual(decideRoleChange(createOwnFacts("owner"), "owner"), {
    kind: "role",
    role: "owner",
  });
  assert.deepEqual(decideRoleChange(createOwnFacts("owner", 2), "admin"), {
    kind: "role",
    role: "admin",
  });
});
