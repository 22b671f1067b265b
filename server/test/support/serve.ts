import { serve } from "../../src/main.ts";

/** The server as a process of its own, for tests that end it the hard way. */
process.exitCode = await serve();
