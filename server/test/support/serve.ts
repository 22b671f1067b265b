import { serve } from "@tocsin/server/main.ts";

/** Runs the server in a separate process, for tests that kill it. */
process.exitCode = await serve();
