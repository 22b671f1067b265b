import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { refresh } from "./refresh.ts";

test("a change during a fetch is fetched again after it", async (t) => {
  const { queryClient, requestCount, respond, shown } = setUp(t);
  const first = refresh(queryClient, KEY);
  respond("before");
  await first;
  const stale = refresh(queryClient, KEY);
  const late = refresh(queryClient, KEY);
  respond("old");
  await settle();
  respond("new");
  await Promise.all([stale, late]);
  assert.equal(shown(), "new");
  assert.equal(requestCount(), 3);
});

test("a hundred concurrent changes cause two fetches", async (t) => {
  const { queryClient, requestCount, respond } = setUp(t);
  const all = Promise.all(Array.from({ length: 100 }, async () => refresh(queryClient, KEY)));
  respond("first");
  await settle();
  respond("second");
  await all;
  assert.equal(requestCount(), 2);
});

const KEY = ["log"];

/** Returns a page that shows one query, and a server that responds on command. */
function setUp(t: TestContext) {
  const queryClient = new QueryClient();
  const pending: ((text: string) => void)[] = [];
  let requestCount = 0;
  queryClient.setQueryData(KEY, "kept");
  const observer = new QueryObserver(queryClient, {
    queryKey: KEY,
    staleTime: Infinity,
    queryFn: async () => {
      requestCount += 1;
      return new Promise<string>((resolve) => pending.push(resolve));
    },
  });
  t.after(observer.subscribe(() => {}));
  t.after(() => queryClient.clear());
  return {
    queryClient,
    requestCount: () => requestCount,
    respond: (text: string) => pending.shift()?.(text),
    shown: () => observer.getCurrentResult().data,
  };
}

/** Resolves after all ready callbacks have run. */
async function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
