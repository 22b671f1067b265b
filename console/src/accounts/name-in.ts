/** What parts the words of a name in an address; what follows a plus sign is no part of it. */
const BETWEEN = /[._-]+/;

/** Returns the name that an e-mail address suggests, such as Ann Smith for ann.smith@example.org; to be changed in a form. */
export function nameIn(email: string): string {
  const [local = ""] = email.split("@");
  const [named = ""] = local.split("+");
  const words = named.split(BETWEEN).filter((word) => word !== "");
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(" ");
}
