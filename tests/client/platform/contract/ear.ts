import type { EnvironmentListeners } from "../../../../src/client/platform/environment.ts";
import type { PageDriver } from "../page_driver.ts";

/** Returns listeners that write down what they hear. */
export function createEar(
  { environment }: PageDriver,
): { readonly heard: string[]; readonly listeners: Required<EnvironmentListeners> } {
  const heard: string[] = [];
  return {
    heard,
    listeners: {
      navigate: (kind) => heard.push(`${kind} ${environment.url()}`),
      hide: () => heard.push("hide"),
      show: (isRestored) => heard.push(`show ${isRestored}`),
    },
  };
}
