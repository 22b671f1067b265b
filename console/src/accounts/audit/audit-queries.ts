import { infiniteQueryOptions } from "@tanstack/react-query";
import type { AuditAction } from "@tocsin/sdk";
import { client } from "../../client.ts";

const PAGE_LENGTH = 30;
/** Events per page of the account's own list: a few are enough beside other cards. */
const OWN_LENGTH = 10;

/** Returns the query for the server's audit log, newest first, page by page; a null action selects all. */
export function auditQuery(action: AuditAction | null) {
  return infiniteQueryOptions({
    queryKey: ["admin", "audit", action],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      client.admin.audit(
        { limit: PAGE_LENGTH, ...(action === null ? {} : { action }), ...cursorOf(pageParam) },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** Query for the events by or about the account, newest first, page by page. */
export const ownAuditQuery = infiniteQueryOptions({
  queryKey: ["audit"],
  initialPageParam: "",
  queryFn: ({ pageParam, signal }) =>
    client.profile.audit({ limit: OWN_LENGTH, ...cursorOf(pageParam) }, { signal }),
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

function cursorOf(cursor: string): { readonly cursor?: string } {
  return cursor === "" ? {} : { cursor };
}
