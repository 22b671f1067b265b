import { SOUNDS, type Sound } from "@tocsin/sdk";
import { areSoundsOn } from "./sound-setting.ts";

/** Time within which the live stream and the worker report the same notification. */
const DUPLICATE_WINDOW_MS = 60_000;

const recentIds = new Set<string>();
let isPlaying = false;

/**
 * Plays the sound of a notification once in all pages of this browser, and never during another sound. Browsers allow a
 * page to play it only after a click or a key press in that page.
 */
export async function playNotificationSound({ id, sound }: NotificationSound): Promise<void> {
  const knownSound = SOUNDS.find((name) => name === sound);
  if (knownSound === undefined || id === "" || recentIds.has(id)) return;
  if (!areSoundsOn() || !canPlayAudio()) return;
  recentIds.add(id);
  setTimeout(() => recentIds.delete(id), DUPLICATE_WINDOW_MS);
  await runInOnlyOnePage(id, async () => {
    if (isPlaying) return;
    isPlaying = true;
    await playSound(knownSound).finally(() => (isPlaying = false));
  });
}

/** The id and the sound of a notification. */
export interface NotificationSound {
  readonly id: string;
  readonly sound: string | null;
}

/** Plays a sound immediately. */
export async function playSound(sound: Sound): Promise<void> {
  // Loaded on demand, because most pages play no sound.
  const { playTune } = await import("./play-tune.ts");
  await playTune(sound);
}

function canPlayAudio(): boolean {
  return navigator.userActivation.hasBeenActive;
}

/**
 * Calls `run` in only one page. The first page keeps the lock for as long as another page may still receive the same
 * notification. Over http, browsers have no locks, so every visible page plays the sound.
 */
async function runInOnlyOnePage(id: string, run: () => Promise<void>): Promise<void> {
  if (!isSecureContext) {
    await run();
    return;
  }
  await navigator.locks.request(`tocsin.sound.${id}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    await run();
    await new Promise((resolve) => setTimeout(resolve, DUPLICATE_WINDOW_MS));
  });
}
