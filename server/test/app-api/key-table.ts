import type { AccessEntry } from "./access-table.ts";
import { expectEveryone, expectHiddenFromMembers, expectOwner } from "./expected-statuses.ts";
import { createKey, createTeamKey } from "./path-parameters.ts";

/** Entries for the operations on API keys. */
export const KEY_ENTRIES: readonly AccessEntry[] = [
  {
    operation: "createKey",
    statuses: expectEveryone(201),
    createBody: () => ({ kind: "account" }),
  },
  {
    operation: "updateKey",
    statuses: expectOwner(200),
    createIds: createKey,
    createBody: () => ({ postOnly: true }),
  },
  {
    operation: "updateKey",
    statuses: expectHiddenFromMembers(200),
    createIds: createTeamKey,
    createBody: () => ({ label: "K", escalationPolicyId: null }),
  },
  {
    operation: "rotateKey",
    statuses: expectOwner(201),
    createIds: createKey,
    createBody: () => ({}),
  },
  {
    operation: "rotateKey",
    statuses: expectHiddenFromMembers(201),
    createIds: createTeamKey,
    createBody: () => ({}),
  },
  { operation: "createCallbackSecret", statuses: expectOwner(201), createIds: createKey },
  {
    operation: "createCallbackSecret",
    statuses: expectHiddenFromMembers(201),
    createIds: createTeamKey,
  },
  { operation: "revokeKey", statuses: expectOwner(204), createIds: createKey },
  { operation: "revokeKey", statuses: expectHiddenFromMembers(204), createIds: createTeamKey },
];
