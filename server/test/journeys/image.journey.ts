import assert from "node:assert/strict";
import test from "node:test";
import { eventually } from "../support/eventually.ts";
import { findFreePort } from "../support/free-port.ts";
import { readDockerfile, parseImageConfiguration } from "../support/dockerfile.ts";
import { NAMESPACE_SKIP_REASON, startContainer } from "../support/container.ts";
import { startStealFreeTimer } from "../support/steal-time.ts";

const BUILD_MAX_MS = 5 * 60_000;
/** A server that stops accepts requests for three more seconds, and then waits for the requests in progress. */
const STOP_MAX_MS = 13_000;

test(
  "the image starts read-only and unprivileged, serves the console, and stops on a signal",
  { skip: NAMESPACE_SKIP_REASON },
  async (t) => {
    t.diagnostic(
      "Runs the Dockerfile's steps without a Docker engine, on this machine's Debian instead of the Node image.",
    );
    const port = await findFreePort();
    const readElapsedMs = startStealFreeTimer();
    const environment = { TOCSIN_PORT: String(port), TOCSIN_HOST: "127.0.0.1" };
    const container = await startContainer(t, environment);
    const text = await eventually(
      async () => container.readOutput(),
      (output) => output.includes("Tocsin listens on") || container.hasExited(),
      { limitMs: BUILD_MAX_MS },
    );
    assert.match(text, /Tocsin listens on/);
    t.diagnostic(`built and started within ${Math.round(readElapsedMs() / 1_000)} s`);

    assert.equal(await container.run(parseImageConfiguration(readDockerfile()).healthcheck), 0);
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: "text/html" } });
    assert.match(await page.text(), /<script type="module"/);
    assert.notEqual(await container.run(["touch", "/app/file"]), 0);
    assert.equal(await container.run(["touch", "/data/file"]), 0);
    assert.equal(await container.run(["test", "!", "-e", "/app/node_modules/typescript"]), 0);

    const readStopMs = startStealFreeTimer();
    assert.equal(await container.stop("SIGTERM"), 0, container.readOutput());
    assert.ok(readStopMs() < STOP_MAX_MS, `${readStopMs()} ms`);
  },
);
