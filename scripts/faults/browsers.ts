/** The browsers of this machine. */
export interface Browsers {
  /** What isn't there. */
  readonly missing: readonly string[];
  /** Debian packages that bring it. */
  readonly packages: readonly string[];
  /** Where each is, for the tests. */
  readonly env: Readonly<Record<string, string>>;
}

interface Wanted {
  readonly name: string;
  readonly variable: string;
  readonly paths: readonly string[];
  readonly package: string;
}

const WANTED: readonly Wanted[] = [
  { name: "Chromium", variable: "CHROMIUM", paths: ["/usr/bin/chromium"], package: "chromium" },
  { name: "Firefox", variable: "FIREFOX", paths: ["/usr/bin/firefox-esr"], package: "firefox-esr" },
  {
    name: "WebKitWebDriver",
    variable: "WEBKIT_DRIVER",
    paths: ["/usr/bin/WebKitWebDriver"],
    package: "webkit2gtk-driver",
  },
  { name: "MiniBrowser", variable: "WEBKIT", paths: findMiniBrowsers(), package: "webkit2gtk-driver" },
  { name: "Xvfb", variable: "XVFB", paths: ["/usr/bin/Xvfb"], package: "xvfb" },
];

/** Looks for them where the environment says, or where Debian puts them. */
export function findBrowsers(): Browsers {
  const found = WANTED.map(({ variable, paths, ...wanted }) => {
    const given = Deno.env.get(variable);
    return { ...wanted, variable, path: (given ? [given] : paths).find(isFile) };
  });
  const missing = found.filter(({ path }) => path === undefined);
  return {
    missing: missing.map(({ name }) => name),
    packages: [...new Set(missing.map((wanted) => wanted.package))],
    env: Object.fromEntries(found.flatMap(({ variable, path }) => path ? [[variable, path]] : [])),
  };
}

/** Debian keeps it below the directory of the machine's architecture and the library's version. */
function findMiniBrowsers(): string[] {
  const list = (folder: string): string[] => {
    try {
      return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
    } catch {
      return []; // no such directory on this system
    }
  };
  return list("/usr/lib").filter((path) => path.includes("-linux-")).flatMap(list).filter((path) =>
    path.includes("/webkit")
  ).map((path) => `${path}/MiniBrowser`);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false; // not there
  }
}
