import { findFreePort } from "../support/free_port.ts";
import { existsSync } from "node:fs";

/** A proxy that runs. */
export interface Proxy extends AsyncDisposable {
  /** Port that it listens on. */
  readonly port: number;
  /** Reads its access log; empty for a proxy that keeps none. */
  readLog(): string;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts nginx in front of an ingest. It hands bodies on as they arrive, and says who sent them. */
export async function startNginx(origin: string): Promise<Proxy> {
  return await startNginxWith(
    `location = /v1/events {
      proxy_pass ${origin};
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }`,
    origin,
  );
}

/** Where the files of docs/deploy look for the ingest. */
const DEPLOYED = "127.0.0.1:8080";

/** Starts nginx with locations of a server, in front of an ingest. */
export async function startNginxWith(locations: string, origin: string): Promise<Proxy> {
  const port = findFreePort();
  const directory = await Deno.makeTempDir();
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`);
  await Deno.writeTextFile(
    `${directory}/nginx.conf`,
    `daemon off;
pid nginx.pid;
error_log error.log;
worker_processes 1;
events { worker_connections 4096; }
http {
  access_log access.log;
  ${paths.join(" ")}
  server {
    listen 127.0.0.1:${port};
    ${locations.replaceAll(DEPLOYED, new URL(origin).host)}
  }
}
`,
  );
  const args = ["-p", directory, "-e", "error.log", "-c", "nginx.conf"];
  return await start(Deno.env.get("NGINX") ?? "/usr/sbin/nginx", { args, directory, port });
}

/** What {@linkcode startCaddy} takes. */
export interface CaddyOptions {
  /** Path of Caddy. */
  readonly program: string;
  /** The Caddyfile of docs/deploy. */
  readonly file: string;
  /** Address of the ingest. */
  readonly origin: string;
}

/** Starts Caddy with the site of docs/deploy, on plain HTTP, in front of an ingest. */
export async function startCaddy({ program, file, origin }: CaddyOptions): Promise<Proxy> {
  const port = findFreePort();
  const directory = await Deno.makeTempDir();
  const site = file.replace(/^shop\.example/m, `http://127.0.0.1:${port}`);
  await Deno.writeTextFile(
    `${directory}/Caddyfile`,
    `{\n\tadmin off\n}\n${site.replaceAll(DEPLOYED, new URL(origin).host)}`,
  );
  return await start(program, { args: ["run", "--config", `${directory}/Caddyfile`], directory, port });
}

interface StartOptions {
  readonly args: readonly string[];
  readonly directory: string;
  readonly port: number;
}

async function start(program: string, { args, directory, port }: StartOptions): Promise<Proxy> {
  const env = { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const child = new Deno.Command(program, { args: [...args], env, stdout: "null", stderr: "null" }).spawn();
  await untilListening(port);
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await child.status;
    await Deno.remove(directory, { recursive: true });
  };
  const readLog = (): string => {
    const path = `${directory}/access.log`;
    return existsSync(path) ? Deno.readTextFileSync(path) : "";
  };
  return { port, readLog, stop, [Symbol.asyncDispose]: stop };
}

async function untilListening(port: number): Promise<void> {
  for (const limitMs = Date.now() + 10_000; Date.now() < limitMs;) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch {
      await new Promise((next) => setTimeout(next, 20)); // not yet
    }
  }
  throw new Error("the proxy doesn't listen");
}
