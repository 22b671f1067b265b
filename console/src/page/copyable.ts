import { make, makeButton } from "./make.ts";

/** Returns a text to copy, such as a command; pages without the clipboard get it selected instead. */
export function copyable(name: string, text: string): HTMLElement {
  const code = make("code", {}, text);
  const box = make("pre", { tabindex: "0", role: "group", "aria-label": name }, code);
  const label = `Copy ${name}`;
  const button = makeButton("Copy", { className: "small", onClick: () => void copy() });
  button.setAttribute("aria-label", label);
  const said = make("span", { class: "status", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(code);
      said.textContent = "Selected: copy it with your keyboard";
    }
  };
  return make("div", { class: "stack" }, box, make("div", { class: "row" }, button, said));
}
