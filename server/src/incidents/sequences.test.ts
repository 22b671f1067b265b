import test from "node:test";
import { ON_POSTGRES } from "../../test/support/database.ts";
import { runIncidentSequences } from "../../test/ports/incident-sequences.ts";

/** Number of sequences. Every run draws new ones, and `npm run campaigns` runs more. Each takes longer on PostgreSQL. */
const SEQUENCE_COUNT = ON_POSTGRES.skip === false ? 20 : 150;

test(`E1: incidents agree with the model over ${SEQUENCE_COUNT} random sequences`, (t) =>
  runIncidentSequences(t, SEQUENCE_COUNT));
