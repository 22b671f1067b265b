/** Preloaded into a server process: every emergency gets the escalation policy of a file. */
import { changeSource, replaceOnce } from "../support/change-source.ts";
import { POLICY_VARIABLE } from "./climb-policy.ts";

changeSource("/server/src/composition/register-rooms.ts", (source) => {
  const changed = replaceOnce(source, {
    replace: "findPolicy: async () => null",
    by: `findPolicy: async () => JSON.parse(
      (await import("node:fs")).readFileSync(process.env["${POLICY_VARIABLE}"] ?? "", "utf8"))`,
  });
  if (changed === null) throw new Error("The server finds its escalation policies in another way.");
  return changed;
});
