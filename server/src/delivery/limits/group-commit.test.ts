import assert from "node:assert/strict";
import test from "node:test";
import { GroupCommit } from "./group-commit.ts";

/** Commits that end when the test says so. */
class Disk {
  readonly batches: (readonly string[])[] = [];
  readonly #pending: PromiseWithResolvers<void>[] = [];
  #started = Promise.withResolvers<void>();

  readonly commit = async (batch: readonly string[]): Promise<readonly string[]> => {
    this.batches.push(batch);
    const pending = Promise.withResolvers<void>();
    this.#pending.push(pending);
    this.#started.resolve();
    await pending.promise;
    return batch.map((item) => `${item} is stored`);
  };

  /** Resolves when a commit has begun. */
  async waitForCommit(): Promise<void> {
    await this.#started.promise;
    this.#started = Promise.withResolvers();
  }

  endCommit(error?: Error): void {
    const pending = this.#pending.shift();
    if (error === undefined) pending?.resolve();
    else pending?.reject(error);
  }
}

function createGroup(disk: Disk, elapsed: () => number = () => 0) {
  return new GroupCommit<string, string>({
    commit: disk.commit,
    batchMax: 3,
    waitMaxMs: 1_000,
    elapsed,
    createTimeoutError: () => new Error("too slow"),
  });
}

test("requests that arrive while a commit runs share the next one", async () => {
  const disk = new Disk();
  const group = createGroup(disk);
  const first = group.submit("a");
  await disk.waitForCommit();
  const laterItems = [group.submit("b"), group.submit("c")];
  disk.endCommit();
  assert.equal(await first, "a is stored");
  await disk.waitForCommit();
  disk.endCommit();
  assert.deepEqual(await Promise.all(laterItems), ["b is stored", "c is stored"]);
  assert.deepEqual(disk.batches, [["a"], ["b", "c"]]);
});

test("a batch holds at most its limit, in the order of arrival", async () => {
  const disk = new Disk();
  const group = createGroup(disk);
  const submissions = ["a", "b", "c", "d", "e"].map((item) => group.submit(item));
  await disk.waitForCommit();
  disk.endCommit();
  await disk.waitForCommit();
  disk.endCommit();
  await Promise.all(submissions);
  assert.deepEqual(disk.batches, [
    ["a", "b", "c"],
    ["d", "e"],
  ]);
});

test("an item resolves only after its commit has ended", async () => {
  const disk = new Disk();
  const group = createGroup(disk);
  let isResolved = false;
  const item = group.submit("a").then(() => (isResolved = true));
  await disk.waitForCommit();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isResolved, false);
  disk.endCommit();
  await item;
});

test("an error of the commit rejects each item, and the next batch still runs", async () => {
  const disk = new Disk();
  const group = createGroup(disk);
  const failed = [group.submit("a"), group.submit("b")].map((item) =>
    assert.rejects(item, /disk full/),
  );
  await disk.waitForCommit();
  const next = group.submit("c");
  disk.endCommit(new Error("disk full"));
  await Promise.all(failed);
  await disk.waitForCommit();
  disk.endCommit();
  assert.equal(await next, "c is stored");
});

test("an item that waited too long for its commit is rejected and not stored", async () => {
  const disk = new Disk();
  let now = 0;
  const group = createGroup(disk, () => now);
  const first = group.submit("a");
  await disk.waitForCommit();
  const rejection = assert.rejects(group.submit("b"), /too slow/);
  now = 1_001;
  disk.endCommit();
  await first;
  await rejection;
  assert.deepEqual(disk.batches, [["a"]]);
});
