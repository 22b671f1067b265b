import assert from "node:assert/strict";
import test from "node:test";
import { createRoomContext } from "../../../test/support/context.ts";
import { LiveHub } from "./hub.ts";
import { subscribeToNodes } from "./subscribe.ts";

const ANN = "ann";

test("streams end after another node died, so that readers load what it stored but did not publish", async (t) => {
  const context = await createRoomContext(t);
  const hub = new LiveHub(context);
  const deadNodesListeners: ((ids: readonly string[]) => Promise<void>)[] = [];
  const nodes = {
    isListening: true,
    on() {},
    publish() {},
    onGap() {},
    onDeadNodes: (listener: (ids: readonly string[]) => Promise<void>) =>
      void deadNodesListeners.push(listener),
  };
  subscribeToNodes({ context, hub, nodes });
  let endCount = 0;
  hub.addStream(
    ANN,
    () => {},
    () => (endCount += 1),
  );
  for (const listener of deadNodesListeners) await listener(["node-2"]);
  assert.equal(endCount, 1);
  assert.equal(hub.isWatched(ANN), false);
});
