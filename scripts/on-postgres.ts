import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findImporters } from "./find-importers.ts";

/** The module that creates the databases of a test file. */
const DATABASE_SUPPORT = "server/test/support/database.ts";
/**
 * Tests of separate programs, which see only a server's HTTP responses. The server's own tests check those on both
 * engines.
 */
const PROGRAM_TESTS = /^(?:action|cli|scripts|sdk|server\/test\/(?:clients|deployment|recipes))\//u;
/**
 * The exports of the test support by which a test shows that a database is its subject: they create or name one, or
 * need PostgreSQL.
 */
export const SUBJECT_NAMES = [
  "createDatabase",
  "openTestDatabase",
  "createDatabaseEnvironment",
  "getDatabasePort",
  "ON_POSTGRES",
  "ON_POSTGRES_WITH_CURRENT_SCHEMA",
] as const;
const SUBJECT_PATTERN = new RegExp(`\\b(?:${SUBJECT_NAMES.join("|")})\\b`, "u");

/** The test files that use a database, divided by whether PostgreSQL could change their result. */
export interface PostgresTests {
  /** Files that run on both databases. */
  readonly onBoth: readonly string[];
  /** Files that only call a server; its database is not their subject. */
  readonly onlySqlite: readonly string[];
}

/** Divides the files that use a database; paths are relative to the root. */
export function selectPostgresTests(files: readonly string[], root: string): PostgresTests {
  const databaseTests = findImporters(files, { root, target: DATABASE_SUPPORT });
  const onlyCallsServer = (file: string) =>
    PROGRAM_TESTS.test(file) && !SUBJECT_PATTERN.test(readFileSync(join(root, file), "utf8"));
  return {
    onBoth: databaseTests.filter((file) => !onlyCallsServer(file)),
    onlySqlite: databaseTests.filter(onlyCallsServer),
  };
}
