import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PushService } from "@tocsin/server/doubles/push-service.ts";
import { startThrowAway } from "@tocsin/server/throw-away.ts";

/** What a demonstration plays on. */
export interface Stage {
  readonly push: PushService;
  readonly pushOrigin: string;
  /** Where the server keeps its data. */
  readonly folder: string;
  readonly url: string;
}

/** Starts a push service and a server in a temporary folder; both stop and the folder goes with `resources`. */
export async function setStage(resources: AsyncDisposableStack): Promise<Stage> {
  const folder = await makeFolder(resources);
  const push = await PushService.start();
  resources.defer(() => push.close());
  const pushOrigin = `http://127.0.0.1:${push.port}`;
  const server = await startThrowAway({
    dataDir: folder,
    pushOrigin,
    now: Date.now,
    random: Math.random,
  });
  resources.defer(() => server.stop());
  return { push, pushOrigin, folder, url: server.url };
}

async function makeFolder(resources: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tocsin-demo-"));
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true });
  // For a process that ends before its resources are given back.
  process.once("exit", removeNow);
  resources.defer(async () => {
    await rm(folder, { recursive: true, force: true });
    process.off("exit", removeNow);
  });
  return folder;
}
