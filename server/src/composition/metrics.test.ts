import assert from "node:assert/strict";
import test from "node:test";
import { createMetrics } from "./metrics.ts";

test("held and suspected push services are counted apart, by provider", async () => {
  const metrics = createMetrics();
  metrics.observeHeldServices(() => [{ service: "apns production", cause: "credentials" }]);
  metrics.observeSuspectedServices(() => ["fcm", "webpush a.example", "webpush b.example"]);
  const text = await metrics.registry.metrics();
  const counted = text.split("\n").filter((line) => /^tocsin_push_services_.* [1-9]/.test(line));
  assert.deepEqual(counted, [
    'tocsin_push_services_held{provider="apns",cause="credentials"} 1',
    'tocsin_push_services_suspected{provider="webpush"} 2',
    'tocsin_push_services_suspected{provider="fcm"} 1',
  ]);
});
