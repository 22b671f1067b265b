import type { Message } from "./provider.ts";

/** Returns the id under which devices replace an earlier message: that of the incident, the prompt or the notification. */
export function getCollapseId({ interaction, notificationId }: Message): string {
  if (interaction === null) return notificationId;
  return interaction.incidentId ?? interaction.promptId ?? notificationId;
}

/** Returns whether a message replaces an earlier one without a sound, because somebody has acted. */
export function isQuiet({ interaction }: Message): boolean {
  return interaction !== null && interaction.alert === "quiet";
}

/** Returns whether a message arrives without a sound. */
export function isSilent(message: Message): boolean {
  return message.priority === "low" || isQuiet(message);
}

/** Returns whether a message sounds even if it replaces an earlier one. */
export function soundsAgain(message: Message): boolean {
  const alert = message.interaction?.alert ?? "usual";
  if (alert === "usual") return message.priority === "emergency";
  return alert === "again" && !isSilent(message);
}
