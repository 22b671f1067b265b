import type { Migration } from "../migration.ts";

/**
 * Changes no table: versions that know this step find sessions by the hash of their token. Until every node knows it, tokens are
 * stored as they are, for the nodes before it.
 */
export const hashedSessions: Migration = {
  name: "0038-hashed-sessions",
  async up() {},
};
