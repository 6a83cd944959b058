import type { TestPage } from "../../src/testing/mod.ts";

/** Subscribes to a page; returns what it hears. */
export function hear({ environment }: TestPage): string[] {
  const heard: string[] = [];
  environment.listen({
    navigate: (kind) => heard.push(`${kind} ${environment.url()}`),
    hide: () => heard.push("hide"),
    show: (isRestored) => heard.push(`show ${isRestored}`),
  });
  return heard;
}
