import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { reportFigure } from "../bars/bar.ts";
import { addDevice, type TestApp } from "../support/app.ts";
import { ON_ANY_DATABASE } from "../support/database.ts";
import { ACCESS, type AccessEntry } from "./access-table.ts";
import { findForeignAccountIds, type RecordedResponse } from "./foreign-account-ids.ts";
import {
  readOperations,
  requestOperation,
  type Operation,
  type OperationRequest,
} from "./operations.ts";
import { KEY_REQUESTS, SIGN_IN_REQUESTS } from "./other-api-requests.ts";
import { openStream, waitForKinds, type RawStream } from "./raw-stream.ts";
import { ResourceIds } from "./resource-ids.ts";
import { PRINCIPALS, startStage, type Principal, type Stage } from "./stage.ts";

/** Principals that must not see other accounts' ids. */
const CHECKED_PRINCIPALS = PRINCIPALS.filter((principal) => principal !== "administrator");
/** One principal for each account. */
const PEOPLE = ["owner", "admin", "member", "other", "formerMember"] as const;

/** Operations that succeed for none of them: only their error responses are checked. */
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

/** Returns the email address of a principal's account; null if it has none. */
function emailOf(stage: Stage, principal: Principal): string | null {
  switch (principal) {
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
      return stage[principal].email;
  }
}

/** Records all responses, and the operations that succeeded at least once. */
class Recorder {
  readonly responses: RecordedResponse[] = [];
  readonly succeeded = new Set<string>();
  readonly #app: TestApp;

  constructor(app: TestApp) {
    this.#app = app;
  }

  /** Returns the response's status. */
  async request(
    source: { readonly name: string; readonly principal: string; readonly own: string | null },
    credentials: Readonly<Record<string, string>>,
    request: OperationRequest,
  ): Promise<number> {
    const { name, principal, own } = source;
    const { status, headers, text } = await requestOperation(this.#app, credentials, request);
    if (status < 300) this.succeeded.add(name);
    const headerLines = [...headers].map((line) => line.join(": ")).join("\n");
    this.responses.push({
      source: `${name} by ${principal}`,
      own,
      text: `${headerLines}\n\n${text}`,
    });
    return status;
  }
}

async function requestAsAll(
  stage: Stage,
  recorder: Recorder,
  { operation, entry }: { readonly operation: Operation; readonly entry: AccessEntry },
): Promise<void> {
  // A page of one item contains a cursor.
  const queries = operation.query.includes("limit") ? [{}, { limit: "1" }] : [{}];
  const resourceIds = new ResourceIds(stage, { operation, entry });
  for (const principal of CHECKED_PRINCIPALS) {
    const source = { name: entry.operation, principal, own: emailOf(stage, principal) };
    for (const query of queries) {
      const request = {
        operation,
        ids: await resourceIds.current(),
        body: entry.body?.(stage),
        query,
      };
      resourceIds.record(await recorder.request(source, stage.credentials[principal], request));
    }
  }
}

/** Requests every operation of the app API, and every read again after all changes. */
async function requestAppApi(stage: Stage, recorder: Recorder): Promise<ReadonlySet<string>> {
  const operations = await readOperations(stage.app, "/api/app/v1/");
  const requested = [...operations].flatMap(([name, operation]) => {
    const entries = ACCESS.filter((entry) => entry.operation === name);
    assert.notEqual(entries.length, 0, `access-table.ts has no entry for ${name}`);
    return entries.map((entry) => ({ operation, entry }));
  });
  // Runs last: it ends the sessions that the other requests use.
  const endsSessions = ({ entry }: (typeof requested)[number]) =>
    entry.operation === "removeOtherSessions";
  const rest = requested.filter((item) => !endsSessions(item));
  // Runs first: invalid tokens are soon rate-limited by network.
  await requestByLink(stage, recorder, operations);
  for (const item of rest) await requestAsAll(stage, recorder, item);
  const after = new Recorder(stage.app);
  const reads = rest.filter(({ operation }) => operation.method === "GET");
  for (const item of reads) await requestAsAll(stage, after, item);
  const neverSucceeded = reads.filter(({ entry }) => !after.succeeded.has(entry.operation));
  assert.deepEqual(
    neverSucceeded.filter(({ entry }) => !REFUSED.includes(entry.operation)),
    [],
  );
  recorder.responses.push(...after.responses);
  for (const item of requested.filter(endsSessions)) await requestAsAll(stage, recorder, item);
  return new Set(operations.keys());
}

/** Requests operations with the token of an invitation, before and after it is accepted. */
async function requestByLink(
  stage: Stage,
  recorder: Recorder,
  operations: ReadonlyMap<string, Operation>,
): Promise<void> {
  const { token } = await stage.invitation(stage.owner);
  for (const name of ["lookAtInvitation", "acceptInvitationToken", "lookAtInvitation"]) {
    const operation = operations.get(name) ?? assert.fail(name);
    for (const principal of CHECKED_PRINCIPALS) {
      const source = { name, principal, own: emailOf(stage, principal) };
      const request = { operation, ids: [], body: { token } };
      await recorder.request(source, stage.credentials[principal], request);
    }
  }
}

/** Requests every operation of the other APIs, with personal keys and with a team key, which belongs to no account. */
async function requestOtherApis(stage: Stage, recorder: Recorder): Promise<ReadonlySet<string>> {
  const operations = new Map(
    [...(await readOperations(stage.app, "/api/"))].filter(
      ([, { path }]) => !path.startsWith("/api/app/v1/"),
    ),
  );
  const { key: teamKey } = await stage.team();
  for (const [name, operation] of operations) {
    const build =
      KEY_REQUESTS[name] ??
      SIGN_IN_REQUESTS[name] ??
      assert.fail(`other-api-requests.ts has no entry for ${name}`);
    for (const principal of PEOPLE) {
      const person = stage[principal];
      for (const key of name in KEY_REQUESTS ? [person.key, teamKey] : [person.key]) {
        const { headers, ...request } = await build(stage, { person, key, teamKey });
        const account = name === "signUp" ? `new-${person.email}` : person.email;
        const source = { name, principal, own: key === teamKey ? null : account };
        await recorder.request(source, headers, { operation, ...request });
      }
    }
  }
  return new Set(operations.keys());
}

interface Recording {
  readonly responses: readonly RecordedResponse[];
  readonly operations: ReadonlySet<string>;
  /** Operations that succeeded for at least one principal. */
  readonly succeeded: ReadonlySet<string>;
}

type Streams = Readonly<Record<(typeof PEOPLE)[number], RawStream>>;

async function openStreams(t: TestContext, { app, credentials }: Stage): Promise<Streams> {
  const open = (principal: (typeof PEOPLE)[number]) => openStream(t, app, credentials[principal]);
  return {
    owner: await open("owner"),
    admin: await open("admin"),
    member: await open("member"),
    other: await open("other"),
    formerMember: await open("formerMember"),
  };
}

/** Returns the contents of the streams once all events have arrived, and the events replayed to the owner. */
async function readStreams(
  t: TestContext,
  stage: Stage,
  streams: Streams,
): Promise<readonly RecordedResponse[]> {
  await waitForKinds(streams.owner, ["notification", "delivery", "device", "read"]);
  await waitForKinds(streams.admin, ["notification", "delivery", "device"]);
  const [, first = assert.fail("No event has an id.")] =
    /^id: (\S+)/m.exec(streams.owner.text) ?? [];
  const headers = { ...stage.credentials.accessToken, "last-event-id": first };
  const replayed = await openStream(t, stage.app, headers);
  await waitForKinds(replayed, ["notification"]);
  const event = "a live event";
  return [
    { source: `${event} replayed to the owner`, own: stage.owner.email, text: replayed.text },
    ...PEOPLE.map((principal) => ({
      source: `${event} to ${principal}`,
      own: stage[principal].email,
      text: streams[principal].text,
    })),
  ];
}

/** Fails if a response contains another account's id, or if an operation unexpectedly never succeeded. */
async function checkRecording(
  t: TestContext,
  { app }: Stage,
  { responses, operations, succeeded }: Recording,
): Promise<void> {
  const refused = [...operations].filter((name) => !succeeded.has(name));
  const expected = REFUSED.filter((name) => operations.has(name));
  assert.deepEqual(new Set(refused), new Set(expected));
  const { db } = app.app.context.database;
  const accounts = await db.selectFrom("account").select(["id", "email"]).execute();
  assert.deepEqual([...new Set(findForeignAccountIds(responses, accounts))], []);
  reportFigure(
    t,
    `${operations.size} operations, ${responses.length} responses and streams, 0 ids of other accounts`,
  );
}

// `access.test.ts` sends every operation on both databases; code after the query decides which members a response has.
test(
  "no response or live event of the app API contains another account's id",
  ON_ANY_DATABASE,
  async (t) => {
    const stage = await startStage(t);
    const { app, owner, admin, member } = stage;
    const streams = await openStreams(t, stage);
    for (const person of [owner, admin, member]) await addDevice(app, person);
    const recorder = new Recorder(app);
    const operations = await requestAppApi(stage, recorder);
    const responses = [...recorder.responses, ...(await readStreams(t, stage, streams))];
    await checkRecording(t, stage, { responses, operations, succeeded: recorder.succeeded });
  },
);

test("no response of the other APIs contains another account's id", ON_ANY_DATABASE, async (t) => {
  const stage = await startStage(t);
  for (const principal of PEOPLE) await addDevice(stage.app, stage[principal]);
  const recorder = new Recorder(stage.app);
  const operations = await requestOtherApis(stage, recorder);
  const { responses, succeeded } = recorder;
  await checkRecording(t, stage, { responses, operations, succeeded });
});
