/** Separators of the words of a name in an address. A part after a plus sign does not belong to the name. */
const BETWEEN = /[._-]+/;

/** Returns the name that an e-mail address suggests for a form, such as Ann Smith for ann.smith@example.org. */
export function nameIn(email: string): string {
  const [local = ""] = email.split("@");
  const [named = ""] = local.split("+");
  const words = named.split(BETWEEN).filter((word) => word !== "");
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ");
}
