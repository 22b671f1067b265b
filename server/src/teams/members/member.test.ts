import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRemoval, decideRoleChange, requireManager, type MembershipFacts } from "./member.ts";

const facts = (overrides: Partial<MembershipFacts>): MembershipFacts => ({
  actor: "owner",
  member: "member",
  isSelf: false,
  owners: 1,
  ...overrides,
});
const self = (role: MembershipFacts["actor"], owners = 1) =>
  facts({ actor: role, member: role, isSelf: true, owners });

test("owners and admins manage a team; members cannot, and other accounts do not see it", () => {
  requireManager("owner");
  requireManager("admin");
  assert.throws(() => requireManager("member"), { code: "forbidden" });
  assert.throws(() => requireManager(null), { code: "not_found" });
});

test("owners can remove anyone, admins anyone but owners, members no other member", () => {
  assert.deepEqual(decideRemoval(facts({ member: "owner", owners: 2 })), { kind: "end" });
  assert.deepEqual(decideRemoval(facts({ actor: "admin", member: "admin" })), { kind: "end" });
  const byAdmin = facts({ actor: "admin", member: "owner", owners: 2 });
  assert.throws(() => decideRemoval(byAdmin), { code: "forbidden" });
  assert.throws(() => decideRemoval(facts({ actor: "member" })), { code: "forbidden" });
});

test("a removal by a plain member does not reveal which members exist", () => {
  const absentMember = facts({ actor: "member", member: null });
  assert.throws(() => decideRemoval(absentMember), { code: "forbidden" });
  assert.throws(() => decideRemoval(facts({ actor: null })), { code: "not_found" });
  assert.throws(() => decideRemoval(facts({ member: null })), { code: "not_found" });
});

test("everyone but the last owner may leave", () => {
  assert.deepEqual(decideRemoval(self("member")), { kind: "end" });
  assert.deepEqual(decideRemoval(self("admin")), { kind: "end" });
  assert.deepEqual(decideRemoval(self("owner", 2)), { kind: "end" });
  assert.throws(() => decideRemoval(self("owner")), { code: "last_owner" });
  assert.throws(() => decideRemoval(self(null)), { code: "not_found" });
});

test("admins can change members and admins, but cannot create owners", () => {
  const admin = facts({ actor: "admin" });
  assert.deepEqual(decideRoleChange(admin, "admin"), { kind: "role", role: "admin" });
  assert.throws(() => decideRoleChange(admin, "owner"), { code: "forbidden" });
  const overOwner = facts({ actor: "admin", member: "owner", owners: 2 });
  assert.throws(() => decideRoleChange(overOwner, "member"), { code: "forbidden" });
  assert.throws(() => decideRoleChange(self("admin"), "owner"), { code: "forbidden" });
});

test("a plain member cannot change any role", () => {
  assert.throws(() => decideRoleChange(self("member"), "admin"), { code: "forbidden" });
  assert.throws(() => decideRoleChange(facts({ actor: "member" }), "member"), {
    code: "forbidden",
  });
});

test("the last owner cannot give up the role", () => {
  assert.throws(() => decideRoleChange(self("owner"), "admin"), { code: "last_owner" });
  assert.deepEqual(decideRoleChange(self("owner"), "owner"), { kind: "role", role: "owner" });
  assert.deepEqual(decideRoleChange(self("owner", 2), "admin"), { kind: "role", role: "admin" });
});
