import { existsSync, globSync } from "node:fs";
import { basename, delimiter } from "node:path";

/** Programs that tests start: where Debian puts each, and its package. A variable of that name says another place. */
const PROGRAMS = {
  CHROMIUM: { path: "/usr/bin/chromium", package: "chromium" },
  FIREFOX: { path: "/usr/bin/firefox-esr", package: "firefox-esr" },
  WEBKIT: { path: "/usr/lib/*-linux-*/webkit2gtk-*/MiniBrowser", package: "webkit2gtk-driver" },
  WEBKIT_DRIVER: { path: "/usr/bin/WebKitWebDriver", package: "webkit2gtk-driver" },
  XVFB: { path: "/usr/bin/Xvfb", package: "xvfb" },
  NATS_SERVER: { path: "/usr/sbin/nats-server", package: "nats-server" },
  CADDY: { path: "/usr/bin/caddy", package: "caddy" },
  PROMTOOL: { path: "/usr/bin/promtool", package: "prometheus" },
  DOCKER_COMPOSE: { path: "/usr/bin/docker-compose", package: "docker-compose" },
  SYSTEMD_ANALYZE: { path: "/usr/bin/systemd-analyze", package: "systemd" },
  NGINX: { path: "/usr/sbin/nginx", package: "nginx-light" },
} as const;

/** Name of a variable that says where a program is. */
export type ProgramVariable = keyof typeof PROGRAMS;

/** Returns where a program is: where its variable says, where Debian puts it, or on the path. */
export function findProgram(variable: ProgramVariable): string | undefined {
  const named = Deno.env.get(variable);
  if (named !== undefined) return existsSync(named) ? named : undefined;
  const { path } = PROGRAMS[variable];
  const folders = Deno.env.get("PATH")?.split(delimiter) ?? [];
  return [...globSync(path), ...folders.map((folder) => `${folder}/${basename(path)}`)].find(existsSync);
}

/**
 * Returns the variables with which tests find the programs that they start. Ends the process where one is missing: a
 * test that didn't run proves nothing.
 */
export function findPrograms(variables: readonly ProgramVariable[]): Readonly<Record<string, string>> {
  const found = variables.map((variable) => {
    const path = findProgram(variable);
    return { variable, path: path ?? Deno.env.get(variable) ?? PROGRAMS[variable].path, isThere: path !== undefined };
  });
  const missing = found.filter(({ isThere }) => !isThere);
  for (const { variable, path } of missing) {
    console.error(`There is no ${path}: apt-get install ${PROGRAMS[variable].package}, or set ${variable}.`);
  }
  if (missing.length > 0) Deno.exit(1);
  return Object.fromEntries(found.map(({ variable, path }) => [variable, path]));
}
