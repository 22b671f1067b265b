import { serve as serveApp } from "@tocsin/server/main.ts";
import { parseOptions, type Command } from "../command.ts";

const HELP = `Usage: tocsin serve

Runs the server until Ctrl-C or SIGTERM. All settings come from the environment, or from
a .env file in the working folder:

  TOCSIN_PORT       port to listen on (8080)
  TOCSIN_HOST       address to listen on (127.0.0.1)
  TOCSIN_BASE_URL   public address (http://localhost:8080)
  TOCSIN_DATA_DIR   folder of the database and the server's own secrets (./data)

docs/configuration.md names all of them. The first start prints a link that makes the first
account, the administrator.

Exit codes: 0 stopped, 1 could not start or go on, 2 wrong usage.`;

/** `tocsin serve`. */
export const serve: Command = {
  help: HELP,
  async run(args) {
    parseOptions({ args, options: {} });
    return serveApp();
  },
};
