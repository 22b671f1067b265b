import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { reportFigure } from "../bars/bar.ts";
import { addDevice, type TestApp } from "../support/app.ts";
import { ACCESS, type Entry } from "./access-table.ts";
import { foreignIds, type Heard } from "./foreign-ids.ts";
import { ask, documented, type Asking, type Operation } from "./operations.ts";
import { BY_KEY, SIGN_IN } from "./outside-table.ts";
import { hasTold, openStream, type RawStream } from "./raw-stream.ts";
import { PRINCIPALS, startStage, type Principal, type Stage } from "./stage.ts";
import { Things } from "./things.ts";

/** Principals that must not see the account ids of others. */
const ASKING = PRINCIPALS.filter((who) => who !== "administrator");
/** The principals with accounts, with one credential each. */
const PEOPLE = ["owner", "admin", "member", "other", "formerMember"] as const;

/** Operations that succeed for none of them on this stage: only their errors are examined. */
const REFUSED = [
  "confirmTwoFactor",
  "renewBackupCodes",
  "createPasskey",
  "deleteMe",
  "refuseInvitationMails",
  "allowInvitationMails",
  "resetPassword",
  "verifyEmail",
  "verifyEmailChange",
  "signInWithCode",
  "signInWithPasskey",
  "beginOidc",
  "finishOidc",
  ...ACCESS.filter(({ administrator }) => administrator !== undefined).map(
    ({ operation }) => operation,
  ),
];

/** The address of a principal's account, null for those who are nobody. */
function addressOf(stage: Stage, who: Principal): string | null {
  switch (who) {
    case "accessToken":
    case "pairedSession":
      return stage.owner.email;
    case "anonymous":
    case "revokedToken":
      return null;
    case "owner":
    case "admin":
    case "member":
    case "other":
    case "formerMember":
    case "administrator":
      return stage[who].email;
  }
}

/** Everything that is answered, with which operations were of use to somebody. */
class Listener {
  readonly heard: Heard[] = [];
  readonly succeeded = new Set<string>();
  readonly #app: TestApp;

  constructor(app: TestApp) {
    this.#app = app;
  }

  /** Returns the status of the answer. */
  async ask(
    what: { readonly name: string; readonly who: string; readonly own: string | null },
    credentials: Readonly<Record<string, string>>,
    asking: Asking,
  ): Promise<number> {
    const { name, who, own } = what;
    const { status, headers, text } = await ask(this.#app, credentials, asking);
    if (status < 300) this.succeeded.add(name);
    const head = [...headers].map((line) => line.join(": ")).join("\n");
    this.heard.push({ what: `${name} by ${who}`, own, text: `${head}\n\n${text}` });
    return status;
  }
}

async function askAll(
  stage: Stage,
  listener: Listener,
  { operation, entry }: { readonly operation: Operation; readonly entry: Entry },
): Promise<void> {
  // A page of one shows a cursor.
  const queries = operation.query.includes("limit") ? [{}, { limit: "1" }] : [{}];
  const things = new Things(stage, { operation, entry });
  for (const who of ASKING) {
    const what = { name: entry.operation, who, own: addressOf(stage, who) };
    for (const query of queries) {
      const asking = { operation, ids: await things.ids(), body: entry.body?.(stage), query };
      things.note(await listener.ask(what, stage.credentials[who], asking));
    }
  }
}

/** Asks every operation of the app API, and whatever reads once more after all that was done. */
async function askAppApi(stage: Stage, listener: Listener): Promise<ReadonlySet<string>> {
  const operations = await documented(stage.app, "/api/app/v1/");
  const asked = [...operations].flatMap(([name, operation]) => {
    const entries = ACCESS.filter((entry) => entry.operation === name);
    assert.notEqual(entries.length, 0, `access-table.ts has nothing for ${name}`);
    return entries.map((entry) => ({ operation, entry }));
  });
  // It ends the sessions that others ask with.
  const isEnd = ({ entry }: (typeof asked)[number]) => entry.operation === "removeOtherSessions";
  const rest = asked.filter((one) => !isEnd(one));
  // Tokens that open nothing are soon refused by network.
  await askByLink(stage, listener, operations);
  for (const one of rest) await askAll(stage, listener, one);
  const after = new Listener(stage.app);
  const reads = rest.filter(({ operation }) => operation.method === "GET");
  for (const one of reads) await askAll(stage, after, one);
  const useless = reads.filter(({ entry }) => !after.succeeded.has(entry.operation));
  assert.deepEqual(
    useless.filter(({ entry }) => !REFUSED.includes(entry.operation)),
    [],
  );
  listener.heard.push(...after.heard);
  for (const one of asked.filter(isEnd)) await askAll(stage, listener, one);
  return new Set(operations.keys());
}

/** Asks by the token of an invitation, before and after it is accepted. */
async function askByLink(
  stage: Stage,
  listener: Listener,
  operations: ReadonlyMap<string, Operation>,
): Promise<void> {
  const { token } = await stage.invitation(stage.owner);
  for (const name of ["lookAtInvitation", "acceptInvitationToken", "lookAtInvitation"]) {
    const operation = operations.get(name) ?? assert.fail(name);
    for (const who of ASKING) {
      const what = { name, who, own: addressOf(stage, who) };
      const asking = { operation, ids: [], body: { token } };
      await listener.ask(what, stage.credentials[who], asking);
    }
  }
}

/** Asks every operation of the other APIs, by the keys of people and by a team's, which is nobody's. */
async function askOutside(stage: Stage, listener: Listener): Promise<ReadonlySet<string>> {
  const operations = new Map(
    [...(await documented(stage.app, "/api/"))].filter(
      ([, { path }]) => !path.startsWith("/api/app/v1/"),
    ),
  );
  const { key: teamKey } = await stage.team();
  for (const [name, operation] of operations) {
    const make = BY_KEY[name] ?? SIGN_IN[name] ?? assert.fail(`outside-table.ts lacks ${name}`);
    for (const who of PEOPLE) {
      const person = stage[who];
      for (const key of name in BY_KEY ? [person.key, teamKey] : [person.key]) {
        const { headers, ...made } = await make(stage, { person, key, teamKey });
        const account = name === "signUp" ? `new-${person.email}` : person.email;
        const what = { name, who, own: key === teamKey ? null : account };
        await listener.ask(what, headers, { operation, ...made });
      }
    }
  }
  return new Set(operations.keys());
}

interface Found {
  readonly heard: readonly Heard[];
  readonly operations: ReadonlySet<string>;
  /** Operations that succeeded for at least one principal. */
  readonly succeeded: ReadonlySet<string>;
}

type Streams = Readonly<Record<(typeof PEOPLE)[number], RawStream>>;

async function openStreams(t: TestContext, { app, credentials }: Stage): Promise<Streams> {
  const open = (who: (typeof PEOPLE)[number]) => openStream(t, app, credentials[who]);
  return {
    owner: await open("owner"),
    admin: await open("admin"),
    member: await open("member"),
    other: await open("other"),
    formerMember: await open("formerMember"),
  };
}

/** Returns what the streams told, once the managers know all that is told, and what the owner gets who missed it. */
async function hearStreams(
  t: TestContext,
  stage: Stage,
  streams: Streams,
): Promise<readonly Heard[]> {
  await hasTold(streams.owner, ["notification", "delivery", "device", "read"]);
  await hasTold(streams.admin, ["notification", "delivery", "device"]);
  const [, first = assert.fail("No event has an id.")] =
    /^id: (\S+)/m.exec(streams.owner.text) ?? [];
  const headers = { ...stage.credentials.accessToken, "last-event-id": first };
  const missed = await openStream(t, stage.app, headers);
  await hasTold(missed, ["notification"]);
  const what = "a live event";
  return [
    { what: `${what} that the owner missed`, own: stage.owner.email, text: missed.text },
    ...PEOPLE.map((who) => ({
      what: `${what} to ${who}`,
      own: stage[who].email,
      text: streams[who].text,
    })),
  ];
}

/** Fails where something heard holds a foreign id, or where an operation was of use to nobody and is not named so. */
async function judge(
  t: TestContext,
  { app }: Stage,
  { heard, operations, succeeded }: Found,
): Promise<void> {
  const refused = [...operations].filter((name) => !succeeded.has(name));
  const expected = REFUSED.filter((name) => operations.has(name));
  assert.deepEqual(new Set(refused), new Set(expected));
  const { db } = app.app.context.database;
  const accounts = await db.selectFrom("account").select(["id", "email"]).execute();
  assert.deepEqual([...new Set(foreignIds(heard, accounts))], []);
  reportFigure(
    t,
    `${operations.size} operations, ${heard.length} answers and streams, 0 foreign ids`,
  );
}

test("no answer of the app API and no live event holds the account id of anybody but who asks", async (t) => {
  const stage = await startStage(t);
  const { app, owner, admin, member } = stage;
  const streams = await openStreams(t, stage);
  for (const person of [owner, admin, member]) await addDevice(app, person);
  const listener = new Listener(app);
  const operations = await askAppApi(stage, listener);
  const heard = [...listener.heard, ...(await hearStreams(t, stage, streams))];
  await judge(t, stage, { heard, operations, succeeded: listener.succeeded });
});

test("no answer of the other APIs holds the account id of anybody but who asks", async (t) => {
  const stage = await startStage(t);
  for (const who of PEOPLE) await addDevice(stage.app, stage[who]);
  const listener = new Listener(stage.app);
  const operations = await askOutside(stage, listener);
  const { heard, succeeded } = listener;
  await judge(t, stage, { heard, operations, succeeded });
});
