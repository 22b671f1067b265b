import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { fetchDocument, listOperations, type Operation } from "../app-api/operations.ts";
import { createMissingId } from "../app-api/app-fixture.ts";
import { startApp } from "../support/app.ts";
import { Attack, runInParallel, type AttackResponse } from "./attack.ts";
import { chooseSize, reportFigure } from "./bar.ts";
import type { ValidRequest } from "./valid-request.ts";
import { listKnownNames } from "./known-names.ts";
import { listBodyObjects, copyWithField, type BodyObject } from "./body-objects.ts";
import { findVictimId } from "./victim.ts";

/** Only one in this many unsuspicious names and odd values is tried. */
const SAMPLE_INTERVAL = chooseSize({ short: 12, full: 1 });
const ID_LIKE = /ids?$|^by$|account|actor|owner|user|member|team|key|token|^__proto__$/i;
/** Operations per app: accepted requests use up limits and end sessions. */
const OPERATIONS_PER_APP = chooseSize({ short: 40, full: 1 });

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
          await attack.expectVictimUnchanged(operation.id);
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
  const allNames = await listKnownNames(document, app.app.context.database);
  const names = allNames.filter(
    (name, index) => ID_LIKE.test(name) || index % SAMPLE_INTERVAL === 0,
  );
  return { operations: listOperations(document), names };
}

/** Builds a field's value from an id of the victim. */
type BuildValue = (id: string) => unknown;

const buildPlainValue: BuildValue = (id) => id;
/** The values of types that a field rarely has. */
const ODD_VALUES: readonly BuildValue[] = [
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
const sampleOddValues = (nameIndex: number) =>
  ODD_VALUES.filter((_, index) => (index + nameIndex) % SAMPLE_INTERVAL === 0);

async function addToBody(attack: Attack, operation: Operation): Promise<void> {
  const { body, method } = operation;
  if (method === "GET") return;
  if (body === null || !refusesUnknownFields(operation)) return addAllToBody(attack, operation);
  // Every request is refused, so the same resources serve for all of them.
  const base = await attack.createValidRequest(operation);
  const victimRequest = { ...base, path: toVictimPath(attack, operation) };
  for (const object of listBodyObjects(body, base.body ?? {})) {
    await addEachUnknownField(attack, { operation, base, object });
    if (operation.path !== victimRequest.path)
      await addEachUnknownField(attack, { operation, base: victimRequest, object });
    await changeEachKnownField(attack, operation, object);
  }
}

/** Returns the operation's path with the ids of the victim's resources. */
function toVictimPath({ victim }: Attack, { path }: Operation): string {
  const lastBraceAt = path.lastIndexOf("{");
  return path.replaceAll(/\{[^}]+\}/g, (_, offset: number) =>
    offset === lastBraceAt ? findVictimId(victim, path) : victim.teamId,
  );
}

/** The app API and sign-in refuse unknown fields; the other APIs ignore them. */
const refusesUnknownFields = ({ path }: Operation) => /^\/api\/(?:app|auth)\//.test(path);

interface InjectionTarget {
  readonly operation: Operation;
  readonly base: ValidRequest;
  readonly object: BodyObject;
}

/** Adds each name that is unknown to the object, one per request. */
async function addEachUnknownField(
  attack: Attack,
  { operation, base, object }: InjectionTarget,
): Promise<void> {
  const unknownNames = attack.fieldNames.filter((name) => !object.fieldNames.includes(name));
  await runInParallel(unknownNames, async (name, index) => {
    for (const buildValue of [buildPlainValue, ...sampleOddValues(index)]) {
      const path = [...object.path, name];
      const body = copyWithField(
        base.body ?? {},
        path,
        buildValue(findVictimId(attack.victim, name)),
      );
      const response = await attack.send({ ...base, body });
      if (!object.isOpen) assertRefused(response, path.join("."), operation);
    }
  });
}

/** Sets each known field to odd values. Some values are accepted, so each request uses new resources. */
async function changeEachKnownField(
  attack: Attack,
  operation: Operation,
  object: BodyObject,
): Promise<void> {
  for (const [index, name] of object.fieldNames.entries()) {
    for (const buildValue of sampleOddValues(index)) {
      // Uses a missing id, because the caller's own text fields may legally contain an id of the victim.
      await attack.sendChanged(operation, (base) =>
        copyWithField(base, [...object.path, name], buildValue(createMissingId())),
      );
    }
  }
}

/** Adds all names to a body whose unknown fields are ignored, in one request. */
async function addAllToBody(attack: Attack, operation: Operation): Promise<void> {
  const knownNames = Object.keys(operation.body?.properties ?? {});
  const plainResponse = await attack.sendChanged(operation);
  for (const buildValue of [buildPlainValue, ...sampleOddValues(0)]) {
    const response = await attack.sendChanged(operation, (base) => ({
      ...base,
      ...buildUnknownFields(attack, knownNames, buildValue),
    }));
    assert.equal(response.status, plainResponse.status, `${operation.id}: ${response.text}`);
  }
}

async function addToQuery(attack: Attack, operation: Operation): Promise<void> {
  const base = await attack.createValidRequest(operation);
  if (refusesUnknownFields(operation) && operation.query.length > 0) {
    const unknownNames = attack.fieldNames.filter((name) => !operation.query.includes(name));
    await runInParallel(unknownNames, async (name) => {
      const query = new URLSearchParams([[name, findVictimId(attack.victim, name)]]);
      assertRefused(await attack.send({ ...base, query }), name, operation);
    });
  } else {
    const knownNames = [...operation.query, ...Object.keys(operation.body?.properties ?? {})];
    const fields = Object.entries(buildUnknownFields(attack, knownNames, buildPlainValue));
    const query = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]));
    await attack.send({ ...base, query });
  }
  await runInParallel(operation.query, async (name, index) => {
    for (const buildValue of sampleOddValues(index)) {
      const query = new URLSearchParams([[name, String(buildValue(createMissingId()))]]);
      await attack.send({ ...base, query });
    }
  });
}

function buildUnknownFields(
  { fieldNames, victim }: Attack,
  knownNames: readonly string[],
  buildValue: BuildValue,
) {
  const unknownNames = fieldNames.filter((name) => !knownNames.includes(name));
  return Object.fromEntries(
    unknownNames.map((name) => [name, buildValue(findVictimId(victim, name))]),
  );
}

function assertRefused({ status, text }: AttackResponse, field: string, { id }: Operation): void {
  assert.deepEqual([status, JSON.parse(text).error?.field], [400, field], `${id}: ${text}`);
}
