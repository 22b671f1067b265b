import { serve } from "@tocsin/server/main.ts";
import { parseOptions, type Command } from "../command.ts";
import { SERVE } from "../descriptions/operators.ts";

/** Runs the server until it is stopped: `tocsin serve`. */
export const serveCommand: Command = async (args) => {
  parseOptions({ args, options: SERVE.options });
  return serve();
};
