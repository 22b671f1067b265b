import type { Priority } from "@tocsin/sdk";
import { NtfyError } from "./ntfy-error.ts";

/** A priority of ntfy, from 1 for the lowest to 5 for the highest. */
export type NtfyPriority = 1 | 2 | 3 | 4 | 5;

/** The priority of a message that names none. */
export const NTFY_PRIORITY_DEFAULT: NtfyPriority = 3;

const PRIORITIES_BY_NAME: ReadonlyMap<string, NtfyPriority> = new Map([
  ["1", 1],
  ["min", 1],
  ["2", 2],
  ["low", 2],
  ["3", 3],
  ["default", 3],
  ["4", 4],
  ["high", 4],
  ["5", 5],
  ["max", 5],
  ["urgent", 5],
]);

/** Returns the priority that a text names, in any letter case; null for "". Throws 40007 for any other text. */
export function parseNtfyPriority(text: string): NtfyPriority | null {
  if (text === "") return null;
  const priority = PRIORITIES_BY_NAME.get(text.toLowerCase());
  if (priority === undefined) throw new NtfyError(40007);
  return priority;
}

/** Returns our priority for a priority of ntfy. */
export function toPriority(priority: NtfyPriority): Priority {
  if (priority === NTFY_PRIORITY_DEFAULT) return "normal";
  return priority < NTFY_PRIORITY_DEFAULT ? "low" : "high";
}
