import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDatabaseLocation } from "./database-location.ts";

test("a database's location is formatted without its password", () => {
  const url = "postgres://ann:hunter2@db.example:5433/tocsin?sslmode=require&password=hunter2";
  assert.equal(
    formatDatabaseLocation({ kind: "postgres", url }),
    "postgres://ann@db.example:5433/tocsin",
  );
});
