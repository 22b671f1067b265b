import { EXIT, parseOptions, type Command } from "../command.ts";
import { interruptible, Interrupted } from "../demo/interruption.ts";
import { createNarrator } from "../demo/narrator.ts";
import { playStory } from "../demo/story.ts";
import type { Terminal } from "../terminal.ts";

const HELP = `Usage: tocsin demo [--json]

Starts a throw-away server with an account and three simulated devices: an iPhone behind
APNs, an Android phone behind FCM, and a browser. Sends to them, removes the app from the
Android phone, sends again, and shows what each step does. Nothing of it stays, and nothing
outside this machine is asked.

  --json   print what happened as one JSON document

Exit codes: 0 all went as it should, 1 it did not, 2 wrong usage.`;

/** `tocsin demo`. */
export const demo: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseOptions({ args, options: { json: { type: "boolean" } } });
    try {
      await interruptible((signal) => play(terminal, { isJson: values.json === true, signal }));
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      terminal.note(`${error.message} The server is stopped and its folder removed.`);
      return error.exitCode;
    }
  },
};

async function play(
  terminal: Terminal,
  { isJson, signal }: { readonly isJson: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const start = performance.now();
  const elapsedMs = () => performance.now() - start;
  if (isJson) {
    const report = await playStory({ tell: () => {}, signal });
    terminal.printJson({ success: true, durationMs: Math.round(elapsedMs()), ...report });
    return;
  }
  const { print, style } = terminal;
  print(
    `\n  ${style("bold", "Tocsin")}: a throw-away server, three simulated devices, two notifications\n`,
  );
  await playStory({ tell: createNarrator(terminal, elapsedMs), signal });
  const seconds = (elapsedMs() / 1_000).toFixed(1);
  print(`\n  Done in ${seconds} s; the server is stopped and its folder removed.`);
  print(`  Your own server: ${style("bold", "npm start")}\n`);
}
