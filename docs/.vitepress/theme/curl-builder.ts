import { computed, defineComponent, h, reactive, ref, type Ref, type VNode } from "vue";
import { SOUNDS } from "../../../sdk/src/content.ts";
import { curlCommand, type CurlOrder } from "./curl-command.ts";

type Order = { -readonly [Name in keyof CurlOrder]: CurlOrder[Name] };

/** The inputs of a line, in their order. */
const FIELDS = [
  { name: "server", label: "Server", placeholder: "http://localhost:8080", type: "url" },
  { name: "key", label: "API key", placeholder: "<API_KEY>", type: "text" },
  { name: "title", label: "Title", placeholder: "", type: "text" },
  { name: "body", label: "Body", placeholder: "", type: "text" },
  { name: "channel", label: "Channel", placeholder: "feed", type: "text" },
] as const;

const COPIED_FOR_MS = 2000;

/** A form that writes the call for one's own server; nothing that is typed leaves the page. */
export const CurlBuilder = defineComponent({
  name: "CurlBuilder",
  setup() {
    const order: Order = reactive({
      server: "",
      key: "",
      title: "Backup finished",
      body: "42 GB in 11 minutes",
      channel: "",
      sound: "",
      isAsync: false,
    });
    const command = computed(() => curlCommand(order));
    const isCopied = ref(false);
    return () =>
      h("form", { class: "curl-builder", onSubmit: (event: Event) => event.preventDefault() }, [
        h("div", { class: "fields" }, [
          ...FIELDS.map((field) => input(order, field)),
          sound(order),
        ]),
        wait(order),
        h("div", { class: "command" }, [
          h("pre", { tabindex: 0, role: "region", "aria-label": "The command" }, [
            h("code", command.value),
          ]),
          h(
            "button",
            { type: "button", onClick: () => copy(command.value, isCopied) },
            isCopied.value ? "Copied" : "Copy",
          ),
        ]),
      ]);
  },
});

function input(order: Order, { name, label, placeholder, type }: (typeof FIELDS)[number]): VNode {
  const onInput = (event: Event) => (order[name] = valueOf(event));
  const quiet = { autocomplete: "off", spellcheck: false };
  return h("label", { key: name }, [
    h("span", label),
    h("input", { type, placeholder, value: order[name], onInput, ...quiet }),
  ]);
}

function sound(order: Order): VNode {
  const onChange = (event: Event) => (order.sound = valueOf(event));
  return h("label", [
    h("span", "Sound"),
    h("select", { onChange }, [
      h("option", { value: "" }, "default"),
      ...SOUNDS.filter((name) => name !== "default").map((name) => h("option", name)),
    ]),
  ]);
}

function wait(order: Order): VNode {
  const onChange = () => (order.isAsync = !order.isAsync);
  return h("label", { class: "wait" }, [
    h("input", { type: "checkbox", checked: !order.isAsync, onChange }),
    h("span", "Wait for the result of each device"),
  ]);
}

async function copy(text: string, isCopied: Ref<boolean>): Promise<void> {
  await navigator.clipboard.writeText(text);
  isCopied.value = true;
  setTimeout(() => (isCopied.value = false), COPIED_FOR_MS);
}

/** The elements of the form that change have a value. */
function valueOf(event: Event): string {
  return (event.target as HTMLInputElement | HTMLSelectElement).value;
}
