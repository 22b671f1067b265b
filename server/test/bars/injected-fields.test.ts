import assert from "node:assert/strict";
import test from "node:test";
import { missingId, startStage, type Stage } from "../app-api/stage.ts";
import { sizeOf, tellFigure } from "./bar.ts";
import { baseRequest, type BaseRequest } from "./base-request.ts";
import { knownNames, operationsOf, type Document, type Operation } from "./known-names.ts";
import { placesOf, withField, type Place } from "./places.ts";
import { createVictim, idFor, rowsNaming, type Victim } from "./victim.ts";

/** Of names that look like nothing in particular, and of odd values, one of so many is tried. */
const EVERY = sizeOf({ short: 12, full: 1 });
const LOOKS_LIKE_AN_ID = /ids?$|^by$|account|actor|owner|user|member|team|key|token|^__proto__$/i;
const AT_ONCE = 16;
const ANSWER_WAIT_MS = 10_000;

test(
  "no field that a caller adds reaches what is somebody else's, or breaks an operation",
  { timeout: 20 * 60_000 },
  async (t) => {
    const stage = await startStage(t);
    const victim = await createVictim(stage.app);
    // As OpenAPI 3.1 shapes it.
    const document = (await (await fetch(`${stage.app.url}/openapi.json`)).json()) as Document;
    const { context } = stage.app.app;
    const names = (await knownNames(document, context.database)).filter(
      (name, index) => LOOKS_LIKE_AN_ID.test(name) || index % EVERY === 0,
    );
    const operations = operationsOf(document);
    const before = await rowsNaming(context, victim);
    assert.ok(before.length >= 8, `${before.length} rows name the victim`);
    const attack = { stage, victim, names, asked: 0 };
    for (const operation of operations) {
      await addToBody(attack, operation);
      await addToQuery(attack, operation);
      assert.deepEqual(await rowsNaming(context, victim), before, operation.id);
    }
    const counts = `${operations.length} operations, ${names.length} names`;
    tellFigure(t, `${counts}, ${attack.asked.toLocaleString("en")} requests, 0 let through`);
  },
);

interface Attack {
  readonly stage: Stage;
  readonly victim: Victim;
  readonly names: readonly string[];
  /** Requests so far. */
  asked: number;
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
  const base = await baseRequest(attack.stage, operation);
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
      const answer = await send(attack, { ...base, body });
      if (!place.isOpen) assertRefused(answer, path.join("."), operation);
    }
  });
}

/** Gives each name that the place knows a value that it does not expect: some are taken, so each is a new request. */
async function changeEach(attack: Attack, operation: Operation, place: Place): Promise<void> {
  for (const [turn, name] of place.known.entries()) {
    for (const value of oddOnes(turn)) {
      const base = await baseRequest(attack.stage, operation);
      // A text of the caller's own may say anything, also who the victim is.
      const body = withField(base.body ?? {}, [...place.path, name], value(missingId()));
      await send(attack, { ...base, body });
    }
  }
}

/** Adds all names at once to a body in which unknown fields are ignored. */
async function addAllToBody(attack: Attack, operation: Operation): Promise<void> {
  const known = Object.keys(operation.body?.properties ?? {});
  const plain = await send(attack, await baseRequest(attack.stage, operation));
  for (const value of [PLAIN, ...oddOnes(0)]) {
    const base = await baseRequest(attack.stage, operation);
    const body = { ...base.body, ...fieldsOf(attack, known, value) };
    const answer = await send(attack, { ...base, body });
    assert.equal(answer.status, plain.status, `${operation.id}: ${answer.text}`);
  }
}

async function addToQuery(attack: Attack, operation: Operation): Promise<void> {
  const base = await baseRequest(attack.stage, operation);
  if (isClosed(operation) && operation.query.length > 0) {
    const unknown = attack.names.filter((name) => !operation.query.includes(name));
    await inParallel(unknown, async (name) => {
      const query = new URLSearchParams([[name, idFor(attack.victim, name)]]);
      assertRefused(await send(attack, { ...base, query }), name, operation);
    });
  } else {
    const known = [...operation.query, ...Object.keys(operation.body?.properties ?? {})];
    const fields = Object.entries(fieldsOf(attack, known, PLAIN));
    const query = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]));
    await send(attack, { ...base, query });
  }
  await inParallel(operation.query, async (name, turn) => {
    for (const value of oddOnes(turn)) {
      const query = new URLSearchParams([[name, String(value(missingId()))]]);
      await send(attack, { ...base, query });
    }
  });
}

function fieldsOf({ names, victim }: Attack, known: readonly string[], value: Value) {
  const unknown = names.filter((name) => !known.includes(name));
  return Object.fromEntries(unknown.map((name) => [name, value(idFor(victim, name))]));
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function assertRefused({ status, text }: Answer, field: string, { id }: Operation): void {
  assert.deepEqual([status, JSON.parse(text).error?.field], [400, field], `${id}: ${text}`);
}

/** Asks once; fails for an accident of the server. */
async function send(attack: Attack, request: BaseRequest & { readonly query?: URLSearchParams }) {
  const { method, path, query } = request;
  const body = method === "GET" ? undefined : JSON.stringify(request.body);
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const url = `${attack.stage.app.url}${path}${query === undefined ? "" : `?${query.toString()}`}`;
  attack.asked += 1;
  const signal = AbortSignal.timeout(ANSWER_WAIT_MS);
  const response = await fetch(url, {
    method,
    signal,
    headers: { ...headers, ...request.headers },
    ...(body === undefined ? {} : { body }),
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const text = isStream ? "" : await response.text();
  if (isStream) await response.body?.cancel();
  const asked = `${method} ${url.slice(0, 200)} ${body?.slice(0, 300)}`;
  assert.ok(response.status < 500, `${asked} is answered ${response.status}: ${text}`);
  return { status: response.status, text };
}

/** Does the same for all, some at a time. */
async function inParallel<T>(
  all: readonly T[],
  act: (one: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = all.entries();
  const work = async () => {
    for (const [index, one] of entries) await act(one, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
