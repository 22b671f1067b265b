import type { TestContext } from "node:test";
import type { FeedItem } from "@tocsin/sdk";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A server, Ann who has a phone, and a folder for what a recipe installs. */
export interface Stage {
  readonly app: TestApp;
  readonly ann: TestPerson;
  readonly folder: string;
  /** Returns the next notification that comes to the phone, as it was sent. */
  readonly arrived: () => Promise<FeedItem>;
}

/** Starts all of it; it goes with the test. */
export async function setStage(test: TestContext): Promise<Stage> {
  const app = await startApp(test);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const folder = await temporaryFolder(test);
  const arrived = async () => {
    const { notification } = JSON.parse((await phone.next()).text);
    const { items } = await ann.client.feed.list();
    const item = items.find(({ id }) => id === notification.data.id);
    if (item === undefined) throw new Error("The phone shows what is not in the feed.");
    return item;
  };
  return { app, ann, folder, arrived };
}
