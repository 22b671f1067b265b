import { EXIT, parseOptions, type Command } from "../command.ts";
import { DEMO } from "../descriptions/operators.ts";
import { createEventPrinter } from "../demo/event-printer.ts";
import { runScenario } from "../demo/scenario.ts";
import { runInterruptibly, InterruptedError } from "../interruption.ts";
import type { Terminal } from "../terminal.ts";

/** Runs a throw-away server that sends to simulated devices: `tocsin demo`. */
export const demoCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: DEMO.options });
  try {
    await runInterruptibly((signal) => runDemo(terminal, { isJson: values.json === true, signal }));
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    terminal.printNote(`${error.message} The server is stopped and its folder removed.`);
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
    const report = await runScenario({ onEvent: () => {}, signal });
    terminal.printJson({ success: true, durationMs: Math.round(elapsedMs()), ...report });
    return;
  }
  const { print, style } = terminal;
  print(
    `\n  ${style("bold", "Tocsin")}: a throw-away server, three simulated devices, two notifications\n`,
  );
  await runScenario({ onEvent: createEventPrinter(terminal, elapsedMs), signal });
  const seconds = (elapsedMs() / 1_000).toFixed(1);
  print(`\n  Done in ${seconds} s; the server is stopped and its folder removed.`);
  print(`  Your own server: ${style("bold", "npm start")}\n`);
}
