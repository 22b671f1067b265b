import type { TestContext } from "node:test";
import { createClient, type LiveEvent } from "@tocsin/sdk";
import { Arrivals } from "../doubles/arrivals.ts";
import type { TestApp, TestPerson } from "../support/app.ts";

/** An open live stream. */
export interface FollowedStream {
  readonly all: readonly LiveEvent[];
  /** Resolves with all events so far once there are `count`. */
  received(count: number): Promise<readonly LiveEvent[]>;
  /** Ends the stream; resolves once it is closed. */
  stop(): Promise<void>;
}

/** Follows a person's live stream; resolves once the server has responded, so that later events are not missed. */
export async function follow(
  t: TestContext,
  { url }: Pick<TestApp, "url">,
  { accessToken, lastEventId = null }: { accessToken: string; lastEventId?: string | null },
): Promise<FollowedStream> {
  const events = new Arrivals<LiveEvent>("live events");
  const connected = Promise.withResolvers<void>();
  const controller = new AbortController();
  const client = createClient({
    baseUrl: url,
    accessToken,
    async fetch(resource, init) {
      const response = await fetch(resource, init);
      if (response.ok) connected.resolve();
      return response;
    },
  });
  const { signal } = controller;
  const done = (async () => {
    for await (const event of client.live({ lastEventId, signal })) events.add(event);
  })();
  done.catch(connected.reject);
  const stop = async () => {
    controller.abort();
    await done;
  };
  await connected.promise;
  t.after(stop);
  return { all: events.all, received: (count) => events.received(count), stop };
}

/** Creates an access token of the person. */
export async function createToken({ client }: Pick<TestPerson, "client">): Promise<string> {
  return (await client.accessTokens.create({ label: "live" })).token;
}

/** Returns the kinds of events, in order. */
export function kindsOf(events: readonly LiveEvent[]): readonly LiveEvent["kind"][] {
  return events.map(({ kind }) => kind);
}

/** Returns the title of a notification event; throws for other events. */
export function titleOf(event: LiveEvent | undefined): string {
  if (event?.kind !== "notification")
    throw new Error(`Expected a notification, received ${event?.kind ?? "nothing"}.`);
  return event.data.title;
}
