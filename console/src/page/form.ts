import { fieldOf, messageOf } from "../errors.ts";
import { make } from "./make.ts";

/** One line of a form; its name is that of the request's field. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "email" | "password";
  /** For password managers, see the HTML Standard's list of autofill fields. */
  readonly autocomplete: AutoFill;
  readonly hint?: string;
  readonly minLength?: number;
}

export interface FormOptions {
  readonly fields: readonly Field[];
  readonly submit: string;
  /** Takes the values by the fields' names; what it throws is shown beside the field it names. */
  readonly onSubmit: (valueOf: (name: string) => string) => Promise<void>;
}

/** Returns a form that is sent once at a time and tells its errors where they belong. */
export function makeForm({ fields, submit, onSubmit }: FormOptions): HTMLFormElement {
  const lines = new Map(fields.map((field) => [field.name, makeLine(field)]));
  const button = make("button", { type: "submit", class: "primary" }, submit);
  const message = make("p", { class: "status error", role: "alert" });
  const content = [...lines.values()].map(({ element }) => element);
  const form = make("form", {}, ...content, message, button);
  const valueOf = (name: string) => lines.get(name)?.input.value ?? "";
  const send = async () => {
    message.textContent = "";
    for (const line of lines.values()) line.show("");
    button.setAttribute("aria-disabled", "true");
    try {
      await onSubmit(valueOf);
    } catch (error) {
      const line = lines.get(fieldOf(error) ?? "");
      if (line === undefined) message.textContent = messageOf(error);
      else line.show(messageOf(error));
    } finally {
      button.removeAttribute("aria-disabled");
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!button.hasAttribute("aria-disabled")) void send();
  });
  return form;
}

interface Line {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  show(error: string): void;
}

function makeLine({ name, label, type, autocomplete, hint = "", minLength }: Field): Line {
  const hintId = `${name}-hint`;
  const errorId = `${name}-error`;
  const input = make("input", {
    id: name,
    name,
    type,
    autocomplete,
    required: true,
    minlength: minLength === undefined ? null : String(minLength),
    "aria-describedby": `${hintId} ${errorId}`,
  });
  const error = make("p", { class: "status error", id: errorId, role: "alert" });
  const element = make(
    "div",
    { class: "field" },
    make("label", { for: name }, label),
    input,
    make("p", { class: "quiet hint", id: hintId }, hint),
    error,
  );
  const show = (text: string) => {
    error.textContent = text;
    input.setAttribute("aria-invalid", String(text !== ""));
    if (text !== "") input.focus();
  };
  return { element, input, show };
}
