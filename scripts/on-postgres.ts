import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reaching } from "./reaching.ts";

/** The module that makes the databases of a test file. */
const DATABASE_SUPPORT = "server/test/support/database.ts";
/** Programs of their own, which know of a server what it answers over HTTP; tests of the server itself see to that on both engines. */
const PROGRAMS = /^(?:action|cli|scripts|sdk|server\/test\/(?:clients|deployment|recipes))\//u;
/** Names by which a test says that a database is its subject: it makes one, works on one, or runs on PostgreSQL alone. */
const SUBJECT =
  /\b(?:createDatabase|openTestDatabase|databaseEnvironment|ON_(?:OWN_)?POSTGRES|portOfDatabases)\b/u;

/** Test files by what PostgreSQL could change about them. */
export interface OnPostgres {
  readonly run: readonly string[];
  /** They ask a server, whose database is none of their subject. */
  readonly once: readonly string[];
}

/** Divides the files that use a database; paths are from the root. */
export function onPostgres(files: readonly string[], root: string): OnPostgres {
  const stored = reaching(files, { root, target: DATABASE_SUPPORT });
  const asksOnly = (file: string) =>
    PROGRAMS.test(file) && !SUBJECT.test(readFileSync(join(root, file), "utf8"));
  return {
    run: stored.filter((file) => !asksOnly(file)),
    once: stored.filter(asksOnly),
  };
}
