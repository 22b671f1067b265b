import { computed, defineComponent, h, reactive, ref, type Ref, type VNode } from "vue";
import { SOUNDS } from "../../../sdk/src/content.ts";
import { formatCurlCommand, type CurlOptions } from "./curl-command.ts";

type MutableOptions = { -readonly [Name in keyof CurlOptions]: CurlOptions[Name] };

/** The single-line inputs, in order. */
const FIELDS = [
  { name: "server", label: "Server", placeholder: "http://localhost:8080", type: "url" },
  { name: "key", label: "API key", placeholder: "<API_KEY>", type: "text" },
  { name: "title", label: "Title", placeholder: "", type: "text" },
  { name: "body", label: "Body", placeholder: "", type: "text" },
  { name: "channel", label: "Channel", placeholder: "feed", type: "text" },
] as const;

const COPIED_DURATION_MS = 2000;

/** A form that writes a call for the reader's server; the input never leaves the page. */
export const CurlBuilder = defineComponent({
  name: "CurlBuilder",
  setup() {
    const options: MutableOptions = reactive({
      server: "",
      key: "",
      title: "Backup finished",
      body: "42 GB in 11 minutes",
      channel: "",
      sound: "",
      isAsync: false,
    });
    const command = computed(() => formatCurlCommand(options));
    const isCopied = ref(false);
    return () =>
      h("form", { class: "curl-builder", onSubmit: (event: Event) => event.preventDefault() }, [
        h("div", { class: "fields" }, [
          ...FIELDS.map((field) => renderInput(options, field)),
          renderSound(options),
        ]),
        renderWait(options),
        h("div", { class: "command" }, [
          h("pre", { tabindex: 0, role: "region", "aria-label": "The command" }, [
            h("code", command.value),
          ]),
          h(
            "button",
            { type: "button", onClick: () => copyText(command.value, isCopied) },
            isCopied.value ? "Copied" : "Copy",
          ),
        ]),
      ]);
  },
});

function renderInput(
  options: MutableOptions,
  { name, label, placeholder, type }: (typeof FIELDS)[number],
): VNode {
  const onInput = (event: Event) => (options[name] = readValue(event));
  const withoutAssistance = { autocomplete: "off", spellcheck: false };
  return h("label", { key: name }, [
    h("span", label),
    h("input", { type, placeholder, value: options[name], onInput, ...withoutAssistance }),
  ]);
}

function renderSound(options: MutableOptions): VNode {
  const onChange = (event: Event) => (options.sound = readValue(event));
  return h("label", [
    h("span", "Sound"),
    h("select", { onChange }, [
      h("option", { value: "" }, "default"),
      ...SOUNDS.filter((name) => name !== "default").map((name) => h("option", name)),
    ]),
  ]);
}

function renderWait(options: MutableOptions): VNode {
  const onChange = () => (options.isAsync = !options.isAsync);
  return h("label", { class: "wait" }, [
    h("input", { type: "checkbox", checked: !options.isAsync, onChange }),
    h("span", "Wait for the result of each device"),
  ]);
}

async function copyText(text: string, isCopied: Ref<boolean>): Promise<void> {
  await navigator.clipboard.writeText(text);
  isCopied.value = true;
  setTimeout(() => (isCopied.value = false), COPIED_DURATION_MS);
}

/** Returns the value of an event's target. Only elements with a value emit these events. */
function readValue(event: Event): string {
  return (event.target as HTMLInputElement | HTMLSelectElement).value;
}
