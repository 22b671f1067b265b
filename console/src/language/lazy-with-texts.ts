import { lazy, type ComponentType, type LazyExoticComponent } from "react";
import { loadPageTexts } from "./language.ts";

/** Returns a component of the feed that is loaded on demand, together with the texts of all pages. */
export function lazyWithTexts<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    const [component] = await Promise.all([load(), loadPageTexts()]);
    return { default: component };
  });
}
