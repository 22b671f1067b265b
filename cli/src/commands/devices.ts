import type { Device } from "@tocsin/sdk";
import { EXIT, parseOptions, type Command } from "../command.ts";
import { DEVICES } from "../descriptions/account-holders.ts";
import { formatLocalTime } from "../local-time.ts";
import { iterateItems } from "../pages.ts";
import { createSignedInClient } from "../signed-in-client.ts";
import { printTable, type Cell, type Row } from "../table.ts";
import { sanitize } from "../terminal.ts";

/** Lists the account's devices: `tocsin devices`. */
export const devicesCommand: Command = async (args, terminal) => {
  const { values } = parseOptions({ args, options: DEVICES.options });
  const { client } = await createSignedInClient(values, terminal);
  const items = await Array.fromAsync(iterateItems((query) => client.devices.list(query)));
  if (values.json === true) terminal.printJson({ items });
  else if (items.length === 0) {
    terminal.print(
      "No device is signed in. Open the console on one, and turn notifications on there.",
    );
  } else {
    const headings = ["NAME", "PLATFORM", "VIA", "STATE", "LAST DELIVERY", "ID"];
    printTable(terminal, { headings, rows: items.map(toRow) });
  }
  return EXIT.ok;
};

/** Notifications wait until an app connects, so the time of its last connection is part of the state. */
function toState({ paused, app }: Pick<Device, "paused" | "app">): Cell {
  if (paused) return { text: "paused", style: "yellow" };
  if (app === undefined) return { text: "on", style: "green" };
  if (app.connected) return { text: "connected", style: "green" };
  if (app.lastConnectedAt === null) return { text: "never connected", style: "yellow" };
  return { text: `last connected ${formatLocalTime(app.lastConnectedAt)}`, style: "dim" };
}

function toRow(device: Device): Row {
  const { id, name, platform, provider, lastDelivery, app } = device;
  return [
    { text: sanitize(name), style: "bold" },
    { text: platform },
    {
      text:
        app === undefined ? provider : app.client === "other" ? "an app" : `app of ${app.client}`,
    },
    toState(device),
    lastDelivery === null
      ? { text: "–", style: "dim" }
      : { text: `${lastDelivery.state} ${formatLocalTime(lastDelivery.at)}` },
    { text: sanitize(id), style: "dim" },
  ];
}
