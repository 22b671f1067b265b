import { SOUNDS, type Sound } from "@tocsin/sdk";
import { isOn } from "./sounds-on.ts";

/** Time within which the live stream and the worker both report a notification. */
const TOLD_TWICE_MS = 60_000;

const told = new Set<string>();
let isPlaying = false;

/**
 * Plays the sound of a notification, once in all pages of this browser, and never on top of another. A page can play it
 * only after a click or a key press in it: browsers silence all others.
 */
export async function soundFor({ id, sound }: Asked): Promise<void> {
  const known = SOUNDS.find((name) => name === sound);
  if (known === undefined || id === "" || told.has(id) || !isOn() || !mayBeHeard()) return;
  told.add(id);
  setTimeout(() => told.delete(id), TOLD_TWICE_MS);
  await onceInAllPages(id, async () => {
    if (isPlaying) return;
    isPlaying = true;
    await hear(known).finally(() => (isPlaying = false));
  });
}

/** A notification, as far as its sound needs it. */
export interface Asked {
  readonly id: string;
  readonly sound: string | null;
}

/** Plays a sound now, as a sample. */
export async function hear(sound: Sound): Promise<void> {
  // Loaded on demand: most pages play none.
  const { play } = await import("./play.ts");
  await play(sound);
}

function mayBeHeard(): boolean {
  return navigator.userActivation.hasBeenActive;
}

/**
 * The first page keeps the lock for as long as another one may still get the same notification. Over http, browsers
 * have no locks: there every visible page plays the sound.
 */
async function onceInAllPages(id: string, act: () => Promise<void>): Promise<void> {
  if (!isSecureContext) {
    await act();
    return;
  }
  await navigator.locks.request(`tocsin.sound.${id}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    await act();
    await new Promise((resolve) => setTimeout(resolve, TOLD_TWICE_MS));
  });
}
