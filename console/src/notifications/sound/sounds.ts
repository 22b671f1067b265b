import { SOUNDS, type Sound } from "@tocsin/sdk";
import { isOn } from "./sounds-on.ts";

/** The live stream and the worker both tell of a notification, within this time. */
const TOLD_TWICE_MS = 60_000;

const told = new Set<string>();
let isPlaying = false;

/**
 * Plays the sound that a notification asks for, once in all pages of this browser, and none on top of another. A page is heard only
 * after somebody has clicked or typed in it: browsers let no other make a noise.
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

/** A notification, as far as it is heard. */
export interface Asked {
  readonly id: string;
  readonly sound: string | null;
}

/** Plays a sound now, for who wants to know it. */
export async function hear(sound: Sound): Promise<void> {
  // Most pages play none.
  const { play } = await import("./play.ts");
  await play(sound);
}

function mayBeHeard(): boolean {
  return navigator.userActivation.hasBeenActive;
}

/**
 * The first page keeps the lock for as long as another one may still be told of the same notification. Over http, browsers have no
 * locks: there each page that is seen is heard.
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
