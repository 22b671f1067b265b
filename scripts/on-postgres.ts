import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reaching } from "./reaching.ts";

/** The module that creates the databases of a test file. */
const DATABASE_SUPPORT = "server/test/support/database.ts";
/** Tests of separate programs, which see only a server's HTTP responses. The server's own tests check these on both engines. */
const PROGRAMS = /^(?:action|cli|scripts|sdk|server\/test\/(?:clients|deployment|recipes))\//u;
/** Exports of the test support that only tests with a database as their subject use: these create one, name one, or need PostgreSQL. */
export const SUBJECTS = [
  "createDatabase",
  "openTestDatabase",
  "databaseEnvironment",
  "databasePort",
  "ON_POSTGRES",
  "ON_OWN_POSTGRES",
] as const;
const SUBJECT = new RegExp(`\\b(?:${SUBJECTS.join("|")})\\b`, "u");

/** Test files that use a database, divided by whether PostgreSQL could change their result. */
export interface OnPostgres {
  readonly run: readonly string[];
  /** Files that only call a server; its database is not their subject. */
  readonly once: readonly string[];
}

/** Divides the files that use a database; paths are relative to the root. */
export function onPostgres(files: readonly string[], root: string): OnPostgres {
  const stored = reaching(files, { root, target: DATABASE_SUPPORT });
  const onlyCallsServer = (file: string) =>
    PROGRAMS.test(file) && !SUBJECT.test(readFileSync(join(root, file), "utf8"));
  return {
    run: stored.filter((file) => !onlyCallsServer(file)),
    once: stored.filter(onlyCallsServer),
  };
}
