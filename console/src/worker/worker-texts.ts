import de from "../language/de/worker.json" with { type: "json" };
import en from "../language/en/worker.json" with { type: "json" };
import { readRecord } from "./worker-records.ts";

/** The worker's texts in one language. */
export type WorkerTexts = typeof en;

const TEXTS: Readonly<Record<string, WorkerTexts>> = { en, de };

/** Returns the texts in the language of the console, or otherwise of the browser; in English if there are none. */
export async function readTexts(): Promise<WorkerTexts> {
  const language = await readRecord("language").catch(() => null);
  return TEXTS[language ?? navigator.language.split("-")[0] ?? ""] ?? en;
}
