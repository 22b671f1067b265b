import { serve } from "../../src/main.ts";

/** Runs the server in a separate process, for tests that kill it. */
process.exitCode = await serve();
