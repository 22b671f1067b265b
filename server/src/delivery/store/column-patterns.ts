import { PROVIDERS } from "@tocsin/sdk";
import type { FinalState } from "../delivery.ts";

/** Returns the `like` patterns of pages with a device's result; only results in `state` unless it is null. */
export function createResultPatterns(
  deviceId: string,
  state: FinalState | null,
): readonly string[] {
  if (state === null) return [`%["${deviceId}",%`];
  return PROVIDERS.map((provider) => `%["${deviceId}","${provider}","${state}",%`);
}

/** Returns the `like` pattern of pages with a result in this state and with this code. */
export function createCodePattern(state: FinalState, code: string): string {
  return `%","${state}","${code.replaceAll(/[\\%_]/g, "\\$&")}",%`;
}

/** Returns the `like` pattern of pages with results in a state. */
export function createStatePattern(state: FinalState): string {
  return `%"${state}":%`;
}

/** Returns the `like` pattern of jobs with a pending device. */
export function createPendingPattern(deviceId: string): string {
  return `%["${deviceId}",%`;
}
