/** The expected statuses of an operation for signed-in accounts. */
export interface ExpectedStatuses {
  readonly owner: number;
  readonly admin: number;
  readonly member: number;
  /** An account that is not in the team. */
  readonly other: number;
}

/** Returns the statuses of an operation that treats all accounts alike. */
export function expectEveryone(status: number): ExpectedStatuses {
  return { owner: status, admin: status, member: status, other: status };
}

/** Returns the statuses of a personal resource, which looks missing to other accounts, even in the same team. */
export function expectOwner(status: number): ExpectedStatuses {
  return { ...expectEveryone(404), owner: status };
}

/** Returns the statuses of an operation that only a team's owners and admins may use. */
export function expectManagers(status: number): ExpectedStatuses {
  return { owner: status, admin: status, member: 403, other: 404 };
}

/** Returns the statuses of a team's resource that looks missing to plain members, such as a team key. */
export function expectHiddenFromMembers(status: number): ExpectedStatuses {
  return { ...expectManagers(status), member: 404 };
}

/** Returns the statuses of an operation with the owner's password, which is wrong for other callers. */
export function expectPassword(status: number): ExpectedStatuses {
  return { ...expectEveryone(400), owner: status };
}

/** Returns the statuses of an invitation to `other`, which looks missing to everyone else. */
export function expectInvited(status: number): ExpectedStatuses {
  return { ...expectEveryone(404), other: status };
}
