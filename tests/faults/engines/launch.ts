import type { Engine, EngineName } from "./engine.ts";
import { launchChromium, launchFirefox } from "./playwright_engine.ts";
import { launchWebKit } from "./webkit_engine.ts";

const LAUNCHERS: Readonly<Record<EngineName, () => Promise<Engine>>> = {
  chromium: launchChromium,
  firefox: launchFirefox,
  webkit: launchWebKit,
};

/** Launches an engine. */
export function launch(name: EngineName): Promise<Engine> {
  return LAUNCHERS[name]();
}
