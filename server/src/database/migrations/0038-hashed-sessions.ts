import type { Migration } from "../migration.ts";

/**
 * Changes no table. Versions that know this migration find sessions by the hash of their token. Until every node
 * knows it, tokens are stored in plain text for nodes of earlier versions.
 */
export const hashedSessions: Migration = {
  name: "0038-hashed-sessions",
  async up() {},
};
