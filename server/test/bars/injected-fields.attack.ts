import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { fetchDocument, listOperations, type Operation } from "../app-api/operations.ts";
import { missingId } from "../app-api/stage.ts";
import { startApp } from "../support/app.ts";
import { Attack, inParallel, type AttackResponse } from "./attack.ts";
import { sizeOf, reportFigure } from "./bar.ts";
import type { ValidRequest } from "./valid-request.ts";
import { knownNames } from "./known-names.ts";
import { listObjects, withField, type BodyObject } from "./body-objects.ts";
import { idFor } from "./victim.ts";

/** Tries one in this many unsuspicious names and odd values. */
const SAMPLE_INTERVAL = sizeOf({ short: 12, full: 1 });
const ID_LIKE = /ids?$|^by$|account|actor|owner|user|member|team|key|token|^__proto__$/i;
/** Operations per app: accepted requests use up limits and end sessions. */
const OPERATIONS_PER_APP = sizeOf({ short: 40, full: 1 });

test(
  "no added field reaches another account's data or breaks an operation",
  { timeout: 28 * 60_000 },
  async (t) => {
    const { operations, names } = await readOperations(t);
    let requestCount = 0;
    for (let first = 0; first < operations.length; first += OPERATIONS_PER_APP) {
      const batch = operations.slice(first, first + OPERATIONS_PER_APP);
      await t.test(`from ${batch[0]?.id}`, async (part) => {
        const attack = await Attack.start(part, names);
        for (const operation of batch) {
          await addToBody(attack, operation);
          await addToQuery(attack, operation);
          await attack.expectUntouched(operation.id);
        }
        requestCount += attack.requestCount;
      });
    }
    const counts = `${operations.length} operations, ${names.length} names`;
    reportFigure(t, `${counts}, ${requestCount.toLocaleString("en")} requests, 0 let through`);
  },
);

async function readOperations(t: TestContext) {
  const app = await startApp(t);
  const document = await fetchDocument(app);
  const known = await knownNames(document, app.app.context.database);
  const names = known.filter((name, index) => ID_LIKE.test(name) || index % SAMPLE_INTERVAL === 0);
  return { operations: listOperations(document), names };
}

/** Builds a field's value from an id of the victim. */
type Value = (id: string) => unknown;

const PLAIN: Value = (id) => id;
/** Values of types that a field rarely has. */
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

/** Returns all odd values in the full form, or a rotating sample of them in the short one. */
const sampleOddValues = (turn: number) =>
  ODD.filter((_, index) => (index + turn) % SAMPLE_INTERVAL === 0);

async function addToBody(attack: Attack, operation: Operation): Promise<void> {
  const { body, method } = operation;
  if (method === "GET") return;
  if (body === null || !isClosed(operation)) return addAllToBody(attack, operation);
  // Every request is refused, so the same resources serve for all of them.
  const base = await attack.createValidRequest(operation);
  const onVictim = { ...base, path: victimPath(attack, operation) };
  for (const object of listObjects(body, base.body ?? {})) {
    await addEach(attack, { operation, base, object });
    if (operation.path !== onVictim.path)
      await addEach(attack, { operation, base: onVictim, object });
    await changeEach(attack, operation, object);
  }
}

/** Returns the operation's path with the ids of the victim's resources. */
function victimPath({ victim }: Attack, { path }: Operation): string {
  const last = path.lastIndexOf("{");
  return path.replaceAll(/\{[^}]+\}/g, (_, offset: number) =>
    offset === last ? idFor(victim, path) : victim.teamId,
  );
}

/** The app API and sign-in refuse unknown fields; the other APIs ignore them. */
const isClosed = ({ path }: Operation) => /^\/api\/(?:app|auth)\//.test(path);

interface Target {
  readonly operation: Operation;
  readonly base: ValidRequest;
  readonly object: BodyObject;
}

/** Adds each name that is unknown to the object, one per request. */
async function addEach(attack: Attack, { operation, base, object }: Target): Promise<void> {
  const unknown = attack.names.filter((name) => !object.known.includes(name));
  await inParallel(unknown, async (name, turn) => {
    for (const value of [PLAIN, ...sampleOddValues(turn)]) {
      const path = [...object.path, name];
      const body = withField(base.body ?? {}, path, value(idFor(attack.victim, name)));
      const response = await attack.send({ ...base, body });
      if (!object.isOpen) assertRefused(response, path.join("."), operation);
    }
  });
}

/** Sets each known field to odd values. Some are accepted, so each request is a new one. */
async function changeEach(attack: Attack, operation: Operation, object: BodyObject): Promise<void> {
  for (const [turn, name] of object.known.entries()) {
    for (const value of sampleOddValues(turn)) {
      // Uses a missing id: the caller's own text fields may legally contain the victim's.
      await attack.sendChanged(operation, (base) =>
        withField(base, [...object.path, name], value(missingId())),
      );
    }
  }
}

/** Adds all names to a body whose unknown fields are ignored, in one request. */
async function addAllToBody(attack: Attack, operation: Operation): Promise<void> {
  const known = Object.keys(operation.body?.properties ?? {});
  const plain = await attack.sendChanged(operation);
  for (const value of [PLAIN, ...sampleOddValues(0)]) {
    const response = await attack.sendChanged(operation, (base) => ({
      ...base,
      ...buildUnknownFields(attack, known, value),
    }));
    assert.equal(response.status, plain.status, `${operation.id}: ${response.text}`);
  }
}

async function addToQuery(attack: Attack, operation: Operation): Promise<void> {
  const base = await attack.createValidRequest(operation);
  if (isClosed(operation) && operation.query.length > 0) {
    const unknown = attack.names.filter((name) => !operation.query.includes(name));
    await inParallel(unknown, async (name) => {
      const query = new URLSearchParams([[name, idFor(attack.victim, name)]]);
      assertRefused(await attack.send({ ...base, query }), name, operation);
    });
  } else {
    const known = [...operation.query, ...Object.keys(operation.body?.properties ?? {})];
    const fields = Object.entries(buildUnknownFields(attack, known, PLAIN));
    const query = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]));
    await attack.send({ ...base, query });
  }
  await inParallel(operation.query, async (name, turn) => {
    for (const value of sampleOddValues(turn)) {
      const query = new URLSearchParams([[name, String(value(missingId()))]]);
      await attack.send({ ...base, query });
    }
  });
}

function buildUnknownFields({ names, victim }: Attack, known: readonly string[], value: Value) {
  const unknown = names.filter((name) => !known.includes(name));
  return Object.fromEntries(unknown.map((name) => [name, value(idFor(victim, name))]));
}

function assertRefused({ status, text }: AttackResponse, field: string, { id }: Operation): void {
  assert.deepEqual([status, JSON.parse(text).error?.field], [400, field], `${id}: ${text}`);
}
