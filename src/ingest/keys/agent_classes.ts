/**
 * Classes of browsers, by what the header `User-Agent` says. A table, since libraries that tell each model and version
 * apart keep more than a report asks for, and the one that is kept best is AGPL.
 *
 * @module
 */

/** Classes of a browser; what isn't told is absent. */
export interface AgentClasses {
  /** Family: `Chrome`. */
  readonly browser?: string;
  /** Family and major version: `Chrome 142`. */
  readonly version?: string;
  /** Family of the system: `Windows`. */
  readonly system?: string;
  /** `phone`, `tablet` or `desktop`. */
  readonly device?: string;
}

/** Browsers, the first that fits counts: most of them also say what they are like. The group is the major version. */
const BROWSERS: readonly (readonly [family: string, pattern: RegExp])[] = [
  // Applications that open links in a browser of their own.
  ["Facebook", /\bFBAV\/(\d+)/],
  ["Instagram", /\bInstagram (\d+)/],
  ["TikTok", /\b(?:musical_ly|trill|BytedanceWebview)[_/](\d+)?/],
  ["Snapchat", /\bSnapchat\/(\d+)/],
  ["Pinterest", /\[Pinterest\/(\w+)?/],
  ["LinkedIn", /\bLinkedInApp\b(?:\]?\/(\d+))?/],
  ["WeChat", /\bMicroMessenger\/(\d+)/],
  ["LINE", /\bLine\/(\d+)/],
  ["Google app", /\bGSA\/(\d+)/],
  ["Edge", /\b(?:Edg|EdgA|EdgiOS|Edge)\/(\d+)/],
  ["Opera", /\b(?:OPR|OPT|OPX|OPiOS)\/(\d+)/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d+)/],
  ["UC Browser", /\bUCBrowser\/(\d+)/],
  ["Yandex", /\bYa(?:Browser|Search_Browser)\/(\d+)/],
  ["Vivaldi", /\bVivaldi\/(\d+)/],
  ["DuckDuckGo", /\b(?:DuckDuckGo|Ddg)\/(\d+)/],
  ["Whale", /\bWhale\/(\d+)/],
  ["MIUI Browser", /\bMiuiBrowser\/(\d+)/],
  ["Huawei Browser", /\bHuaweiBrowser\/(\d+)/],
  ["Silk", /\bSilk\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS|Focus)\/(\d+)/],
  ["Android WebView", /; wv\).* Chrome\/(\d+)/],
  ["Chrome", /\b(?:Chrome|CriOS|Chromium)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)(?:\.\S*)? (?:Mobile\/\w+ )?Safari\//],
  ["iOS WebView", /\b(?:iPhone|iPad|iPod)\b.*\bAppleWebKit\//],
];

/** Systems, the first that fits counts. */
const SYSTEMS: readonly (readonly [family: string, pattern: RegExp])[] = [
  ["Windows", /\bWindows\b/],
  ["iPadOS", /\biPad\b/],
  ["iOS", /\b(?:iPhone|iPod)\b/],
  ["HarmonyOS", /\b(?:OpenHarmony|HarmonyOS)\b/],
  ["KaiOS", /\bKAIOS\//],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["macOS", /\bMacintosh\b/],
  ["Tizen", /\bTizen\b/],
  ["webOS", /\bWeb0S\b/],
  ["Linux", /\b(?:Linux|X11)\b/],
];

/** Television sets and consoles are none of the devices. */
const NO_DEVICE = /\b(?:SMART-TV|SmartTV|Web0S|AFT\w+|CrKey|BRAVIA|Tizen|PlayStation|Xbox|Nintendo)\b|\bTV\b/;

const TABLET = /\biPad\b|\bTablet\b|\bSilk\/|\bKindle\b/;

const MOBILE = /\b(?:Mobile|iPhone|iPod|Phone)\b/;

const DESKTOPS: readonly (string | undefined)[] = ["Windows", "macOS", "ChromeOS", "Linux"];

/** Reads the classes of an agent. An iPad that asks for the desktop's pages says that it is a Mac. */
export function readAgent(agent: string): AgentClasses {
  const browser = findBrowser(agent);
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  const device = findDevice(agent, system);
  return {
    ...browser,
    ...(system !== undefined && { system }),
    ...(device !== undefined && { device }),
  };
}

function findBrowser(agent: string): Pick<AgentClasses, "browser" | "version"> {
  for (const [family, pattern] of BROWSERS) {
    const found = pattern.exec(agent);
    if (found === null) continue;
    const [, version = ""] = found;
    // Longer ones are made up.
    return { browser: family, version: /^\d{1,4}$/.test(version) ? `${family} ${Number(version)}` : family };
  }
  return {};
}

function findDevice(agent: string, system: string | undefined): string | undefined {
  if (NO_DEVICE.test(agent)) return undefined;
  if (TABLET.test(agent)) return "tablet";
  if (MOBILE.test(agent)) return "phone";
  if (system === "Android" || system === "HarmonyOS") return "tablet";
  return DESKTOPS.includes(system) ? "desktop" : undefined;
}
