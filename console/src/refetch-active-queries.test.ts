import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { refetchActiveQueries } from "./refetch-active-queries.ts";

const KEY = ["log"];
test("a change during a fetch causes another fetch after it", async (t) => {
  const { queryClient, getRequestCount, respond, getShownData } = setUp(t);
  const firstRefetch = refetchActiveQueries(queryClient, KEY);
  respond("before");
  await firstRefetch;
  const secondRefetch = refetchActiveQueries(queryClient, KEY);
  const thirdRefetch = refetchActiveQueries(queryClient, KEY);
  respond("old");
  await waitForReadyCallbacks();
  respond("new");
  await Promise.all([secondRefetch, thirdRefetch]);
  assert.equal(getShownData(), "new");
  assert.equal(getRequestCount(), 3);
});

test("a hundred concurrent changes cause two fetches", async (t) => {
  const { queryClient, getRequestCount, respond } = setUp(t);
  const refetches = Promise.all(
    Array.from({ length: 100 }, async () => refetchActiveQueries(queryClient, KEY)),
  );
  respond("first");
  await waitForReadyCallbacks();
  respond("second");
  await refetches;
  assert.equal(getRequestCount(), 2);
});

/** Returns a page that shows one query, and a server that responds on command. */
function setUp(t: TestContext) {
  const queryClient = new QueryClient();
  const pendingResponses: ((text: string) => void)[] = [];
  let requestCount = 0;
  queryClient.setQueryData(KEY, "kept");
  const observer = new QueryObserver(queryClient, {
    queryKey: KEY,
    staleTime: Infinity,
    queryFn: async () => {
      requestCount += 1;
      return new Promise<string>((resolve) => pendingResponses.push(resolve));
    },
  });
  t.after(observer.subscribe(() => {}));
  t.after(() => queryClient.clear());
  return {
    queryClient,
    getRequestCount: () => requestCount,
    respond: (text: string) => pendingResponses.shift()?.(text),
    getShownData: () => observer.getCurrentResult().data,
  };
}

/** Resolves after all ready callbacks have run. */
async function waitForReadyCallbacks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
