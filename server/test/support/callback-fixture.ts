import type { TestContext } from "node:test";
import { pino } from "pino";
import type { NewCallback, SendCallback } from "#callbacks/callback.ts";
import { createCallbackConnections, type CallbackConnectionDeps } from "#callbacks/connections.ts";
import { CallbackSender, type CallbackResult } from "#callbacks/callback-sender.ts";
import { insertCallbackQuery } from "#callbacks/store/outbox.ts";
import { createSecret } from "#callbacks/store/secrets.ts";
import { CallbackReceiver } from "../doubles/callback-receiver.ts";
import { createRoomContext } from "./context.ts";

/** The source of the callbacks of a test. */
export const SOURCE_ID = "first-key";

/** Creates connections to receivers; they close with the test. */
export function startConnections(t: TestContext, deps: CallbackConnectionDeps) {
  const connections = createCallbackConnections(deps);
  t.after(() => connections.close());
  return connections;
}

/** Starts a receiver that stops with the test. */
export async function startReceiver(
  t: TestContext,
  options: Parameters<typeof CallbackReceiver.start>[0] = {},
): Promise<CallbackReceiver> {
  const receiver = await CallbackReceiver.start(options);
  t.after(() => receiver.close());
  return receiver;
}

/** Creates a source with a secret, a receiver that knows the secret, and functions that call the receiver. */
export async function createCallbackFixture(t: TestContext) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const context = { ...(await createRoomContext(t)), log };
  const receiver = await startReceiver(t, { now: context.now });
  receiver.secrets.push(await createSecret(context, SOURCE_ID));
  const { send } = startConnections(t, { allowOrigins: [receiver.origin] });
  const results: CallbackResult[] = [];
  const createSender = (sendWith: SendCallback = send) => {
    const sender = new CallbackSender({
      context,
      send: sendWith,
      publishDue() {},
      onResult: (result) => results.push(result),
    });
    // A running sender would keep the process alive after a failed test.
    t.after(() => sender.stop());
    return sender;
  };
  const url = `${receiver.origin}/hook?token=canary`;
  const create = (change: Partial<NewCallback> = {}) =>
    insertCallbackQuery(context, {
      sourceId: SOURCE_ID,
      event: "incident.acknowledged",
      subjectId: "incident-1",
      url,
      payload: { incidentKey: "disk" },
      ...change,
    });
  return {
    context,
    receiver,
    send,
    results,
    createSender,
    /** Returns the statement that stores a callback. */
    create,
    /** Stores a callback and returns its id. */
    store: async (change: Partial<NewCallback> = {}): Promise<string> => {
      const insert = create(change);
      await context.database.atomically([insert]);
      return insert.id;
    },
    /** Returns the stored callbacks, oldest first. */
    listRows: () => context.database.db.selectFrom("callback").selectAll().orderBy("id").execute(),
    readLog: () => lines.join(""),
  };
}
