import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "../../../scripts/files.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { NO_NAMESPACES } from "../support/image-run.ts";
import { startOwnTime } from "../support/own-time.ts";
import { skipUnlessInstalled } from "../support/program.ts";
import { refusedCalls, startService } from "../support/service-run.ts";
import { readUnit, valuesOf } from "../support/unit.ts";

const START_MAX_MS = 120_000;
const skip =
  NO_NAMESPACES ||
  skipUnlessInstalled("strace", "strace") ||
  skipUnlessInstalled("systemd-analyze", "systemd");

test(
  "the server starts, works and stops in time under the restrictions of its systemd unit",
  { skip },
  async (t) => {
    t.diagnostic("Runs without systemd: unshare, setpriv and strace apply its restrictions.");
    const calls = refusedCalls(readUnit());
    assert.ok(calls.includes("mount") && calls.includes("setuid") && !calls.includes("openat"));
    const port = await freePort();
    const service = await startService(t, {
      program: [process.execPath, join(ROOT, "cli/src/main.ts")],
      environment: { TOCSIN_PORT: String(port) },
    });
    const text = await eventually(
      async () => service.output(),
      (output) => output.includes("Tocsin listens on") || service.hasEnded(),
      { limitMs: START_MAX_MS },
    );
    assert.match(text, /Tocsin listens on/);
    const url = `http://127.0.0.1:${port}`;
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.match(await (await fetch(`${url}/metrics`)).text(), /^tocsin_queue_jobs 0$/m);
    const ownMs = startOwnTime();
    assert.equal(await service.stop("SIGTERM"), 0, service.output());
    const [timeout = ""] = valuesOf(readUnit(), "TimeoutStopSec");
    assert.ok(ownMs() < Number(timeout) * 1_000, `${ownMs()} ms`);
    t.diagnostic(`refused system calls: ${(await service.refused()).join(", ") || "nothing"}`);
  },
);
