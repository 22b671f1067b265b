import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { refresh } from "./refresh.ts";

test("a refresh while an answer is on its way asks again after it", async (t) => {
  const { queryClient, asked, answer, seen } = watched(t);
  const first = refresh(queryClient, KEY);
  answer("before");
  await first;
  const stale = refresh(queryClient, KEY);
  const late = refresh(queryClient, KEY);
  answer("old");
  await settled();
  answer("new");
  await Promise.all([stale, late]);
  assert.equal(seen(), "new");
  assert.equal(asked(), 3);
});

test("a hundred changes at once ask twice, not a hundred times", async (t) => {
  const { queryClient, asked, answer } = watched(t);
  const all = Promise.all(Array.from({ length: 100 }, async () => refresh(queryClient, KEY)));
  answer("first");
  await settled();
  answer("second");
  await all;
  assert.equal(asked(), 2);
});

const KEY = ["log"];

/** Returns a page that shows one answer, and a server that answers on command. */
function watched(t: TestContext) {
  const queryClient = new QueryClient();
  const waiting: ((text: string) => void)[] = [];
  let asked = 0;
  queryClient.setQueryData(KEY, "kept");
  const observer = new QueryObserver(queryClient, {
    queryKey: KEY,
    staleTime: Infinity,
    queryFn: async () => {
      asked += 1;
      return new Promise<string>((resolve) => waiting.push(resolve));
    },
  });
  t.after(observer.subscribe(() => {}));
  t.after(() => queryClient.clear());
  return {
    queryClient,
    asked: () => asked,
    answer: (text: string) => waiting.shift()?.(text),
    seen: () => observer.getCurrentResult().data,
  };
}

/** Resolves after everything that is ready to run has run. */
async function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
