import type { TestContext } from "node:test";
import type { FeedItem } from "@tocsin/sdk";
import { addDevice, signUp, startApp, type TestApp, type TestPerson } from "../support/app.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** A server, Ann with a phone, and a temporary folder for a recipe's files. */
export interface RecipeFixture {
  readonly app: TestApp;
  readonly ann: TestPerson;
  readonly folder: string;
  /** Resolves with the feed entry of the next notification that reaches the phone. */
  readonly receiveNext: () => Promise<FeedItem>;
}

/** Starts a server with Ann's account and phone, and creates the folder. All of it is removed when the test ends. */
export async function startRecipeFixture(test: TestContext): Promise<RecipeFixture> {
  const app = await startApp(test);
  const ann = await signUp(app, "Ann");
  const { phone } = await addDevice(app, ann);
  const folder = await createTemporaryFolder(test);
  const receiveNext = async () => {
    const { notification } = JSON.parse((await phone.next()).text);
    const { items } = await ann.client.feed.list();
    const item = items.find(({ id }) => id === notification.data.id);
    if (item === undefined)
      throw new Error("The phone shows a notification that is not in the feed.");
    return item;
  };
  return { app, ann, folder, receiveNext };
}
