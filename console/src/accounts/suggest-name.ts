/** Separators between the words of a name in an email address. */
const NAME_SEPARATORS = /[._-]+/;

/** Returns the name that an email address suggests: Ann Smith for ann.smith@example.org. */
export function suggestName(email: string): string {
  const [localPart = ""] = email.split("@");
  // A part after a plus sign is a tag, not part of the name.
  const [name = ""] = localPart.split("+");
  const words = name.split(NAME_SEPARATORS).filter((word) => word !== "");
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ");
}
