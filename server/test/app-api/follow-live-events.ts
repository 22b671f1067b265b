import type { TestContext } from "node:test";
import { createClient, type LiveEvent } from "@tocsin/sdk";
import { Arrivals } from "../doubles/arrivals.ts";
import type { TestApp, TestPerson } from "../support/app.ts";

/** An open live stream. */
export interface FollowedStream {
  readonly events: readonly LiveEvent[];
  /** Resolves with all events so far once at least `count` have arrived. */
  waitForEvents(count: number): Promise<readonly LiveEvent[]>;
  /** Ends the stream; resolves once it is closed. */
  stop(): Promise<void>;
}

/** Follows a person's live stream; resolves once the server has responded, so that later events are not missed. */
export async function followLiveEvents(
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
  const finished = (async () => {
    for await (const event of client.live({ lastEventId, signal })) events.add(event);
  })();
  finished.catch(connected.reject);
  const stop = async () => {
    controller.abort();
    await finished;
  };
  await connected.promise;
  t.after(stop);
  return { events: events.all, waitForEvents: (count) => events.waitForCount(count), stop };
}

/** Creates an access token of the person. */
export async function createAccessToken({ client }: Pick<TestPerson, "client">): Promise<string> {
  return (await client.accessTokens.create({ label: "live" })).token;
}

/** Returns the kinds of events, in order. */
export function getKinds(events: readonly LiveEvent[]): readonly LiveEvent["kind"][] {
  return events.map(({ kind }) => kind);
}

/** Returns the title of a notification event; throws for other events. */
export function getNotificationTitle(event: LiveEvent | undefined): string {
  if (event?.kind !== "notification")
    throw new Error(`Expected a notification, received ${event?.kind ?? "nothing"}.`);
  return event.data.title;
}
