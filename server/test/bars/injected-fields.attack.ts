import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { documentOf, operationsOf, type Operation } from "../app-api/operations.ts";
import { missingId } from "../app-api/stage.ts";
import { startApp } from "../support/app.ts";
import { Attack, inParallel, type Answer } from "./attack.ts";
import { sizeOf, tellFigure } from "./bar.ts";
import type { BaseRequest } from "./base-request.ts";
import { knownNames } from "./known-names.ts";
import { placesOf, withField, type Place } from "./places.ts";
import { idFor } from "./victim.ts";

/** Of names that look like nothing in particular, and of odd values, one of so many is tried. */
const EVERY = sizeOf({ short: 12, full: 1 });
const LOOKS_LIKE_AN_ID = /ids?$|^by$|account|actor|owner|user|member|team|key|token|^__proto__$/i;
/** Accepted requests fill limits and end rights, so a stage wears out. */
const OPERATIONS_OF_A_STAGE = sizeOf({ short: 40, full: 1 });

test(
  "no field that a caller adds reaches what is somebody else's, or breaks an operation",
  { timeout: 28 * 60_000 },
  async (t) => {
    const { operations, names } = await whatIsKnown(t);
    let asked = 0;
    for (let first = 0; first < operations.length; first += OPERATIONS_OF_A_STAGE) {
      const some = operations.slice(first, first + OPERATIONS_OF_A_STAGE);
      await t.test(`from ${some[0]?.id}`, async (part) => {
        const attack = await Attack.start(part, names);
        for (const operation of some) {
          await addToBody(attack, operation);
          await addToQuery(attack, operation);
          await attack.expectUntouched(operation.id);
        }
        asked += attack.asked;
      });
    }
    const counts = `${operations.length} operations, ${names.length} names`;
    tellFigure(t, `${counts}, ${asked.toLocaleString("en")} requests, 0 let through`);
  },
);

async function whatIsKnown(t: TestContext) {
  const app = await startApp(t);
  const document = await documentOf(app);
  const known = await knownNames(document, app.app.context.database);
  const names = known.filter((name, index) => LOOKS_LIKE_AN_ID.test(name) || index % EVERY === 0);
  return { operations: operationsOf(document), names };
}

/** Makes what is given in a field, of the id that somebody would give there. */
type Value = (id: string) => unknown;

const PLAIN: Value = (id) => id;
/** Values of a kind that a field seldom has. */
const ODD: readonly Value[] = [
  () => null,
  () => "",
  () => 0,
  () => -1e308,
  () => true,
  () => [],
  () => ({}),
  (id) => [id],
  (id) => ({ id }),
  (id) => ({ kind: "account", accountId: id }),
  () => "x".repeat(400),
  () => "\u0000'\"<\ud800",
];

/** Returns all odd values in full, and in short those whose turn it is. */
const oddOnes = (turn: number) => ODD.filter((_, index) => (index + turn) % EVERY === 0);

async function addToBody(attack: Attack, operation: Operation): Promise<void> {
  const { body, method } = operation;
  if (method === "GET") return;
  if (body === null || !isClosed(operation)) return addAllToBody(attack, operation);
  // It is refused each time, so that what it names is there for the next time.
  const base = await attack.baseRequest(operation);
  const foreign = { ...base, path: victimsPath(attack, operation) };
  for (const place of placesOf(body, base.body ?? {})) {
    await addEach(attack, { operation, base, place });
    if (operation.path !== foreign.path) await addEach(attack, { operation, base: foreign, place });
    await changeEach(attack, operation, place);
  }
}

/** Returns the path to the thing of the victim's that is like the one that the operation is about. */
function victimsPath({ victim }: Attack, { path }: Operation): string {
  const last = path.lastIndexOf("{");
  return path.replaceAll(/\{[^}]+\}/g, (_, offset: number) =>
    offset === last ? idFor(victim, path) : victim.teamId,
  );
}

/** The app API and sign-in refuse what they do not know; the others ignore it. */
const isClosed = ({ path }: Operation) => /^\/api\/(?:app|auth)\//.test(path);

interface Target {
  readonly operation: Operation;
  readonly base: BaseRequest;
  readonly place: Place;
}

/** Adds each name that the place does not know, by itself. */
async function addEach(attack: Attack, { operation, base, place }: Target): Promise<void> {
  const unknown = attack.names.filter((name) => !place.known.includes(name));
  await inParallel(unknown, async (name, turn) => {
    for (const value of [PLAIN, ...oddOnes(turn)]) {
      const path = [...place.path, name];
      const body = withField(base.body ?? {}, path, value(idFor(attack.victim, name)));
      const answer = await attack.send({ ...base, body });
      if (!place.isOpen) assertRefused(answer, path.join("."), operation);
    }
  });
}

/** Gives each name that the place knows a value that it does not expect: some are taken, so each is a new request. */
async function changeEach(attack: Attack, operation: Operation, place: Place): Promise<void> {
  for (const [turn, name] of place.known.entries()) {
    for (const value of oddOnes(turn)) {
      // A text of the caller's own may say anything, also who the victim is.
      await attack.ask(operation, (base) =>
        withField(base, [...place.path, name], value(missingId())),
      );
    }
  }
}

/** Adds all names at once to a body in which unknown fields are ignored. */
async function addAllToBody(attack: Attack, operation: Operation): Promise<void> {
  const known = Object.keys(operation.body?.properties ?? {});
  const plain = await attack.ask(operation);
  for (const value of [PLAIN, ...oddOnes(0)]) {
    const answer = await attack.ask(operation, (base) => ({
      ...base,
      ...fieldsOf(attack, known, value),
    }));
    assert.equal(answer.status, plain.status, `${operation.id}: ${answer.text}`);
  }
}

async function addToQuery(attack: Attack, operation: Operation): Promise<void> {
  const base = await attack.baseRequest(operation);
  if (isClosed(operation) && operation.query.length > 0) {
    const unknown = attack.names.filter((name) => !operation.query.includes(name));
    await inParallel(unknown, async (name) => {
      const query = new URLSearchParams([[name, idFor(attack.victim, name)]]);
      assertRefused(await attack.send({ ...base, query }), name, operation);
    });
  } else {
    const known = [...operation.query, ...Object.keys(operation.body?.properties ?? {})];
    const fields = Object.entries(fieldsOf(attack, known, PLAIN));
    const query = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]));
    await attack.send({ ...base, query });
  }
  await inParallel(operation.query, async (name, turn) => {
    for (const value of oddOnes(turn)) {
      const query = new URLSearchParams([[name, String(value(missingId()))]]);
      await attack.send({ ...base, query });
    }
  });
}

function fieldsOf({ names, victim }: Attack, known: readonly string[], value: Value) {
  const unknown = names.filter((name) => !known.includes(name));
  return Object.fromEntries(unknown.map((name) => [name, value(idFor(victim, name))]));
}

function assertRefused({ status, text }: Answer, field: string, { id }: Operation): void {
  assert.deepEqual([status, JSON.parse(text).error?.field], [400, field], `${id}: ${text}`);
}
