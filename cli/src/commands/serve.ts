import { serve as serveApp } from "@tocsin/server/main.ts";
import { parseOptions, type Command } from "../command.ts";
import { SERVE } from "../descriptions/operators.ts";

/** `tocsin serve`. */
export const serve: Command = async (args) => {
  parseOptions({ args, options: SERVE.options });
  return serveApp();
};
