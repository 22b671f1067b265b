/** What an element holds; null stands for nothing. */
export type Child = Node | string | null;

/** `true` sets an attribute without a value, `null` and `false` leave it out. */
export type Attributes = Readonly<Record<string, string | boolean | null>>;

/** Returns a new element. Text is always text: nothing here reads markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  fill(element, ...children);
  return element;
}

/** Puts these children in the place of all that an element holds. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...children.filter((child) => child !== null));
}

/** Returns a button; what it does must fail nowhere, see `actionButton` for what may. */
export function makeButton(
  label: string,
  { className = "", onClick }: { readonly className?: string; readonly onClick: () => void },
): HTMLButtonElement {
  const button = make("button", { type: "button", class: className }, label);
  button.addEventListener("click", onClick);
  return button;
}

/** Returns a heading that can be focused, so that a screen reader starts there after a change of view. */
export function makeTitle(text: string): HTMLHeadingElement {
  return make("h1", { tabindex: "-1" }, text);
}

/** Returns a moment, an RFC 3339 string, in the words and the time zone of the reader. */
export function makeTime(at: string): HTMLTimeElement {
  return make("time", { datetime: at }, TIME.format(new Date(at)));
}

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
