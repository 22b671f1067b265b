import type { TestContext } from "node:test";
import { createClient, type LiveEvent } from "@tocsin/sdk";
import { Arrivals } from "../doubles/arrivals.ts";
import type { TestApp, TestPerson } from "../support/app.ts";

/** A live stream that is open. */
export interface Following {
  readonly all: readonly LiveEvent[];
  /** Resolves with every event so far once there are `count`. */
  received(count: number): Promise<readonly LiveEvent[]>;
  /** Resolves once the stream is given up. */
  stop(): Promise<void>;
}

/** Follows the person's live stream; resolves once the server has answered, so that nothing after it is missed. */
export async function follow(
  t: TestContext,
  { url }: Pick<TestApp, "url">,
  { accessToken, lastEventId = null }: { accessToken: string; lastEventId?: string | null },
): Promise<Following> {
  const events = new Arrivals<LiveEvent>("live events");
  const opened = Promise.withResolvers<void>();
  const stopped = new AbortController();
  const client = createClient({
    baseUrl: url,
    accessToken,
    async fetch(address, init) {
      const response = await fetch(address, init);
      if (response.ok) opened.resolve();
      return response;
    },
  });
  const { signal } = stopped;
  const done = (async () => {
    for await (const event of client.live({ lastEventId, signal })) events.add(event);
  })();
  done.catch(opened.reject);
  const stop = async () => {
    stopped.abort();
    await done;
  };
  await opened.promise;
  t.after(stop);
  return { all: events.all, received: (count) => events.received(count), stop };
}

/** Makes an access token of the person. */
export async function tokenOf({ client }: Pick<TestPerson, "client">): Promise<string> {
  return (await client.accessTokens.create({ label: "live" })).token;
}

/** The kinds of events in their order. */
export function kindsOf(events: readonly LiveEvent[]): readonly LiveEvent["kind"][] {
  return events.map(({ kind }) => kind);
}

/** The title of a notification event; throws for another event. */
export function titleOf(event: LiveEvent | undefined): string {
  if (event?.kind !== "notification") throw new Error(`It is ${event?.kind ?? "nothing"}.`);
  return event.data.title;
}
