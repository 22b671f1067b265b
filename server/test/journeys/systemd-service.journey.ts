import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "../../../scripts/files.ts";
import { eventually } from "../support/eventually.ts";
import { findFreePort } from "../support/free-port.ts";
import { NAMESPACE_SKIP_REASON } from "../support/container.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";
import { skipUnlessInstalled } from "../support/program.ts";
import { listRefusedCalls, startService } from "../support/systemd-service.ts";
import { readSystemdUnit, getUnitValues } from "../support/systemd-unit.ts";

const START_MAX_MS = 120_000;
const skip =
  NAMESPACE_SKIP_REASON ||
  skipUnlessInstalled("strace", "strace") ||
  skipUnlessInstalled("systemd-analyze", "systemd");

test(
  "the server starts, works and stops in time under the restrictions of its systemd unit",
  { skip },
  async (t) => {
    t.diagnostic(
      "Runs without systemd: unshare, setpriv and strace apply the unit's restrictions.",
    );
    const refusedCalls = listRefusedCalls(readSystemdUnit());
    assert.ok(
      refusedCalls.includes("mount") &&
        refusedCalls.includes("setuid") &&
        !refusedCalls.includes("openat"),
    );
    const port = await findFreePort();
    const service = await startService(t, {
      program: [process.execPath, join(ROOT, "cli/src/main.ts")],
      environment: { TOCSIN_PORT: String(port) },
    });
    const output = await eventually(
      async () => service.readOutput(),
      (text) => text.includes("Tocsin listens on") || service.hasExited(),
      { limitMs: START_MAX_MS },
    );
    assert.match(output, /Tocsin listens on/);
    const url = `http://127.0.0.1:${port}`;
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.match(await (await fetch(`${url}/metrics`)).text(), /^tocsin_queue_jobs 0$/m);
    const readElapsedMs = startStealFreeTimer();
    assert.equal(await service.stop("SIGTERM"), 0, service.readOutput());
    const [timeout = ""] = getUnitValues(readSystemdUnit(), "TimeoutStopSec");
    assert.ok(readElapsedMs() < Number(timeout) * 1_000, `${readElapsedMs()} ms`);
    t.diagnostic(
      `refused system calls: ${(await service.readRefusedCalls()).join(", ") || "nothing"}`,
    );
  },
);
