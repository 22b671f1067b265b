import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { reportFigure } from "../attacks/bar.ts";
import { addDevice, type TestApp } from "../support/app.ts";
import { ON_ONE_DATABASE } from "../support/database.ts";
import { ACCESS, type AccessEntry } from "./access-table.ts";
import { describeForeignAccountIds, type RecordedResponse } from "./foreign-account-ids.ts";
import {
  readOperations,
  requestOperation,
  type Operation,
  type OperationRequest,
} from "./operations.ts";
import { KEY_REQUESTS, SIGN_IN_REQUESTS } from "./other-api-requests.ts";
import { openRawStream, waitForKinds, type RawStream } from "./raw-stream.ts";
import { ResourceIds } from "./resource-ids.ts";
import { PRINCIPALS, startAppFixture, type Principal, type AppFixture } from "./app-fixture.ts";

/** Principals that must not see other accounts' ids. */
const CHECKED_PRINCIPALS = PRINCIPALS.filter((principal) => principal !== "administrator");
/** One principal for each account. */
const ACCOUNT_PRINCIPALS = ["owner", "admin", "member", "other", "formerMember"] as const;

/** Operations that succeed for no principal: only their error responses are checked. */
const NEVER_SUCCEEDING = [
  "confirmTwoFactor",
  "renewBackupCodes",
  "createPasskey",
  "deleteMe",
  // `act` needs a device's action key, and `escalateIncident` a policy with a further step.
  "act",
  "escalateIncident",
  // These operations need an emailed link, a valid credential or a configured identity provider.
  "lookAtActLink",
  "actByLink",
  "refuseInvitationMails",
  "allowInvitationMails",
  "resetPassword",
  "verifyEmail",
  "verifyEmailChange",
  "signInWithCode",
  "signInWithPasskey",
  "beginOidc",
  "finishOidc",
  ...ACCESS.filter(({ administratorStatus }) => administratorStatus !== undefined).map(
    ({ operation }) => operation,
  ),
];

/** Returns the email address of a principal's account; null if it has none. */
function findEmail(fixture: AppFixture, principal: Principal): string | null {
  switch (principal) {
    case "accessToken":
    case "pairedSession":
      return fixture.owner.email;
    case "anonymous":
    case "revokedToken":
      return null;
    case "owner":
    case "admin":
    case "member":
    case "other":
    case "formerMember":
    case "administrator":
      return fixture[principal].email;
  }
}

/** Records all responses, and the operations that succeeded at least once. */
class Recorder {
  readonly responses: RecordedResponse[] = [];
  readonly succeededOperations = new Set<string>();
  readonly #app: TestApp;

  constructor(app: TestApp) {
    this.#app = app;
  }

  /** Returns the response's status. */
  async request(
    source: { readonly name: string; readonly principal: string; readonly ownEmail: string | null },
    credentials: Readonly<Record<string, string>>,
    request: OperationRequest,
  ): Promise<number> {
    const { name, principal, ownEmail } = source;
    const { status, headers, text } = await requestOperation(this.#app, credentials, request);
    if (status < 300) this.succeededOperations.add(name);
    const headerLines = [...headers].map((line) => line.join(": ")).join("\n");
    this.responses.push({
      source: `${name} by ${principal}`,
      ownEmail,
      text: `${headerLines}\n\n${text}`,
    });
    return status;
  }
}

async function requestAsAll(
  fixture: AppFixture,
  recorder: Recorder,
  { operation, entry }: { readonly operation: Operation; readonly entry: AccessEntry },
): Promise<void> {
  // A page of one item contains a cursor.
  const queries = operation.query.includes("limit") ? [{}, { limit: "1" }] : [{}];
  const resourceIds = new ResourceIds(fixture, { operation, entry });
  for (const principal of CHECKED_PRINCIPALS) {
    const source = { name: entry.operation, principal, ownEmail: findEmail(fixture, principal) };
    for (const query of queries) {
      const request = {
        operation,
        ids: await resourceIds.getIds(),
        body: entry.createBody?.(fixture),
        query,
      };
      resourceIds.record(await recorder.request(source, fixture.credentials[principal], request));
    }
  }
}

/** Requests every operation of the app API, and every read again after all changes. */
async function requestAppApi(
  fixture: AppFixture,
  recorder: Recorder,
): Promise<ReadonlySet<string>> {
  const operations = await readOperations(fixture.app, "/api/app/v1/");
  const requestedEntries = [...operations].flatMap(([name, operation]) => {
    const entries = ACCESS.filter((entry) => entry.operation === name);
    assert.notEqual(entries.length, 0, `access-table.ts has no entry for ${name}`);
    return entries.map((entry) => ({ operation, entry }));
  });
  // Runs last: it ends the sessions that the other requests use.
  const endsSessions = ({ entry }: (typeof requestedEntries)[number]) =>
    entry.operation === "removeOtherSessions";
  const otherEntries = requestedEntries.filter((item) => !endsSessions(item));
  // Runs first: requests with invalid tokens soon reach the rate limit of their network.
  await requestWithLinkToken(fixture, recorder, operations);
  for (const item of otherEntries) await requestAsAll(fixture, recorder, item);
  const laterRecorder = new Recorder(fixture.app);
  const reads = otherEntries.filter(({ operation }) => operation.method === "GET");
  for (const item of reads) await requestAsAll(fixture, laterRecorder, item);
  const neverSucceeded = reads.filter(
    ({ entry }) => !laterRecorder.succeededOperations.has(entry.operation),
  );
  assert.deepEqual(
    neverSucceeded.filter(({ entry }) => !NEVER_SUCCEEDING.includes(entry.operation)),
    [],
  );
  recorder.responses.push(...laterRecorder.responses);
  for (const item of requestedEntries.filter(endsSessions))
    await requestAsAll(fixture, recorder, item);
  return new Set(operations.keys());
}

/** Requests operations with the token of an invitation, before and after it is accepted. */
async function requestWithLinkToken(
  fixture: AppFixture,
  recorder: Recorder,
  operations: ReadonlyMap<string, Operation>,
): Promise<void> {
  const { token } = await fixture.createInvitation(fixture.owner);
  for (const name of ["lookAtInvitation", "acceptInvitationToken", "lookAtInvitation"]) {
    const operation = operations.get(name) ?? assert.fail(name);
    for (const principal of CHECKED_PRINCIPALS) {
      const source = { name, principal, ownEmail: findEmail(fixture, principal) };
      const request = { operation, ids: [], body: { token } };
      await recorder.request(source, fixture.credentials[principal], request);
    }
  }
}

/** Requests every operation of the other APIs, with personal keys and with a team key, which belongs to no account. */
async function requestOtherApis(
  fixture: AppFixture,
  recorder: Recorder,
): Promise<ReadonlySet<string>> {
  const operations = new Map(
    [...(await readOperations(fixture.app, "/api/"))].filter(
      ([, { path }]) => !path.startsWith("/api/app/v1/"),
    ),
  );
  const { key: teamKey } = await fixture.createTeam();
  for (const [name, operation] of operations) {
    const buildRequest =
      KEY_REQUESTS[name] ??
      SIGN_IN_REQUESTS[name] ??
      assert.fail(`other-api-requests.ts has no entry for ${name}`);
    for (const principal of ACCOUNT_PRINCIPALS) {
      const person = fixture[principal];
      for (const key of name in KEY_REQUESTS ? [person.key, teamKey] : [person.key]) {
        const { headers, ...request } = await buildRequest(fixture, { person, key, teamKey });
        const email = name === "signUp" ? `new-${person.email}` : person.email;
        const source = { name, principal, ownEmail: key === teamKey ? null : email };
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

type Streams = Readonly<Record<(typeof ACCOUNT_PRINCIPALS)[number], RawStream>>;

async function openStreams(t: TestContext, { app, credentials }: AppFixture): Promise<Streams> {
  const openStreamOf = (principal: (typeof ACCOUNT_PRINCIPALS)[number]) =>
    openRawStream(t, app, credentials[principal]);
  return {
    owner: await openStreamOf("owner"),
    admin: await openStreamOf("admin"),
    member: await openStreamOf("member"),
    other: await openStreamOf("other"),
    formerMember: await openStreamOf("formerMember"),
  };
}

/** Returns the contents of the streams once all events have arrived, and the events replayed to the owner. */
async function readStreams(
  t: TestContext,
  fixture: AppFixture,
  streams: Streams,
): Promise<readonly RecordedResponse[]> {
  await waitForKinds(streams.owner, ["notification", "delivery", "device", "read"]);
  await waitForKinds(streams.admin, ["notification", "delivery", "device"]);
  const [, firstEventId = assert.fail("No event has an id.")] =
    /^id: (\S+)/m.exec(streams.owner.text) ?? [];
  const headers = { ...fixture.credentials.accessToken, "last-event-id": firstEventId };
  const replayedStream = await openRawStream(t, fixture.app, headers);
  await waitForKinds(replayedStream, ["notification"]);
  return [
    {
      source: "a live event replayed to the owner",
      ownEmail: fixture.owner.email,
      text: replayedStream.text,
    },
    ...ACCOUNT_PRINCIPALS.map((principal) => ({
      source: `a live event to ${principal}`,
      ownEmail: fixture[principal].email,
      text: streams[principal].text,
    })),
  ];
}

/** Fails if a response contains another account's id, or if an operation unexpectedly never succeeded. */
async function assertRecording(
  t: TestContext,
  { app }: AppFixture,
  { responses, operations, succeeded }: Recording,
): Promise<void> {
  const refusedOperations = [...operations].filter((name) => !succeeded.has(name));
  const expected = NEVER_SUCCEEDING.filter((name) => operations.has(name));
  assert.deepEqual(new Set(refusedOperations), new Set(expected));
  const { db } = app.app.context.database;
  const accounts = await db.selectFrom("account").select(["id", "email"]).execute();
  assert.deepEqual([...new Set(describeForeignAccountIds(responses, accounts))], []);
  reportFigure(
    t,
    `${operations.size} operations, ${responses.length} responses and streams, 0 ids of other accounts`,
  );
}

// One database is enough: `access.test.ts` sends every operation on both, and the fields of a response do not depend
// on the database.
test(
  "no response or live event of the app API contains another account's id",
  ON_ONE_DATABASE,
  async (t) => {
    const fixture = await startAppFixture(t);
    const { app, owner, admin, member } = fixture;
    const streams = await openStreams(t, fixture);
    for (const person of [owner, admin, member]) await addDevice(app, person);
    const recorder = new Recorder(app);
    const operations = await requestAppApi(fixture, recorder);
    const responses = [...recorder.responses, ...(await readStreams(t, fixture, streams))];
    await assertRecording(t, fixture, {
      responses,
      operations,
      succeeded: recorder.succeededOperations,
    });
  },
);

test("no response of the other APIs contains another account's id", ON_ONE_DATABASE, async (t) => {
  const fixture = await startAppFixture(t);
  for (const principal of ACCOUNT_PRINCIPALS) await addDevice(fixture.app, fixture[principal]);
  const recorder = new Recorder(fixture.app);
  const operations = await requestOtherApis(fixture, recorder);
  const { responses, succeededOperations } = recorder;
  await assertRecording(t, fixture, { responses, operations, succeeded: succeededOperations });
});
