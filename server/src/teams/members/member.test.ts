import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRemoval, decideRoleChange, requireManager, type Standing } from "./member.ts";

const standing = (given: Partial<Standing>): Standing => ({
  actor: "owner",
  member: "member",
  isSelf: false,
  owners: 1,
  ...given,
});
const self = (role: Standing["actor"], owners = 1) =>
  standing({ actor: role, member: role, isSelf: true, owners });

test("owners and admins manage a team, members do not, and to strangers it does not exist", () => {
  requireManager("owner");
  requireManager("admin");
  assert.throws(() => requireManager("member"), { code: "forbidden" });
  assert.throws(() => requireManager(null), { code: "not_found" });
});

test("owners remove everyone, admins everyone but owners, members nobody", () => {
  assert.deepEqual(decideRemoval(standing({ member: "owner", owners: 2 })), { kind: "end" });
  assert.deepEqual(decideRemoval(standing({ actor: "admin", member: "admin" })), { kind: "end" });
  const byAdmin = standing({ actor: "admin", member: "owner", owners: 2 });
  assert.throws(() => decideRemoval(byAdmin), { code: "forbidden" });
  assert.throws(() => decideRemoval(standing({ actor: "member" })), { code: "forbidden" });
});

test("a member cannot tell which members exist by trying to remove them", () => {
  const absent = standing({ actor: "member", member: null });
  assert.throws(() => decideRemoval(absent), { code: "forbidden" });
  assert.throws(() => decideRemoval(standing({ actor: null })), { code: "not_found" });
  assert.throws(() => decideRemoval(standing({ member: null })), { code: "not_found" });
});

test("everyone but the last owner may leave", () => {
  assert.deepEqual(decideRemoval(self("member")), { kind: "end" });
  assert.deepEqual(decideRemoval(self("admin")), { kind: "end" });
  assert.deepEqual(decideRemoval(self("owner", 2)), { kind: "end" });
  assert.throws(() => decideRemoval(self("owner")), { code: "last_owner" });
  assert.throws(() => decideRemoval(self(null)), { code: "not_found" });
});

test("admins change the roles of members and admins, and make no owners", () => {
  const admin = standing({ actor: "admin" });
  assert.deepEqual(decideRoleChange(admin, "admin"), { kind: "role", role: "admin" });
  assert.throws(() => decideRoleChange(admin, "owner"), { code: "forbidden" });
  const overOwner = standing({ actor: "admin", member: "owner", owners: 2 });
  assert.throws(() => decideRoleChange(overOwner, "member"), { code: "forbidden" });
  assert.throws(() => decideRoleChange(self("admin"), "owner"), { code: "forbidden" });
});

test("a member changes no role, not even their own", () => {
  assert.throws(() => decideRoleChange(self("member"), "admin"), { code: "forbidden" });
  assert.throws(() => decideRoleChange(standing({ actor: "member" }), "member"), {
    code: "forbidden",
  });
});

test("the last owner keeps the role until there is another", () => {
  assert.throws(() => decideRoleChange(self("owner"), "admin"), { code: "last_owner" });
  assert.deepEqual(decideRoleChange(self("owner"), "owner"), { kind: "role", role: "owner" });
  assert.deepEqual(decideRoleChange(self("owner", 2), "admin"), { kind: "role", role: "admin" });
});
