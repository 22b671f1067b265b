import { EXIT, parseOptions, type Command } from "../command.ts";
import { DEMO } from "../descriptions/operators.ts";
import { createNarrator } from "../demo/narrator.ts";
import { playStory } from "../demo/story.ts";
import { interruptible, Interrupted } from "../interruption.ts";
import type { Terminal } from "../terminal.ts";

/** `tocsin demo`. */
export const demo: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: DEMO.options });
  try {
    await interruptible((signal) => runDemo(terminal, { isJson: values.json === true, signal }));
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    terminal.note(`${error.message} The server is stopped and its folder removed.`);
    return error.exitCode;
  }
};

async function runDemo(
  terminal: Terminal,
  { isJson, signal }: { readonly isJson: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const startMs = performance.now();
  const elapsedMs = () => performance.now() - startMs;
  if (isJson) {
    const report = await playStory({ onEvent: () => {}, signal });
    terminal.printJson({ success: true, durationMs: Math.round(elapsedMs()), ...report });
    return;
  }
  const { print, style } = terminal;
  print(
    `\n  ${style("bold", "Tocsin")}: a throw-away server, three simulated devices, two notifications\n`,
  );
  await playStory({ onEvent: createNarrator(terminal, elapsedMs), signal });
  const seconds = (elapsedMs() / 1_000).toFixed(1);
  print(`\n  Done in ${seconds} s; the server is stopped and its folder removed.`);
  print(`  Your own server: ${style("bold", "npm start")}\n`);
}
