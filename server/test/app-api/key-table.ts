import type { AccessEntry } from "./access-table.ts";
import { expectEveryone, expectHiddenFromMembers, expectOwner } from "./expected-statuses.ts";
import { createKey, createTeamKey } from "./path-parameters.ts";

/** The operations on API keys. */
export const KEY_ENTRIES: readonly AccessEntry[] = [
  { operation: "createKey", statuses: expectEveryone(201), body: () => ({ kind: "account" }) },
  {
    operation: "updateKey",
    statuses: expectOwner(200),
    ids: createKey,
    body: () => ({ postOnly: true }),
  },
  {
    operation: "updateKey",
    statuses: expectHiddenFromMembers(200),
    ids: createTeamKey,
    body: () => ({ label: "K", escalationPolicyId: null }),
  },
  { operation: "rotateKey", statuses: expectOwner(201), ids: createKey, body: () => ({}) },
  {
    operation: "rotateKey",
    statuses: expectHiddenFromMembers(201),
    ids: createTeamKey,
    body: () => ({}),
  },
  { operation: "createCallbackSecret", statuses: expectOwner(201), ids: createKey },
  {
    operation: "createCallbackSecret",
    statuses: expectHiddenFromMembers(201),
    ids: createTeamKey,
  },
  { operation: "revokeKey", statuses: expectOwner(204), ids: createKey },
  { operation: "revokeKey", statuses: expectHiddenFromMembers(204), ids: createTeamKey },
];
