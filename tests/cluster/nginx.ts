/** A proxy that runs. */
export interface Nginx {
  /** Port that it listens on. */
  readonly port: number;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts nginx in front of a server. It hands bodies on as they arrive, and says who sent them. */
export async function startNginx(origin: string): Promise<Nginx> {
  const directory = await Deno.makeTempDir();
  const port = findFreePort();
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`);
  await Deno.writeTextFile(
    `${directory}/nginx.conf`,
    `daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log;
events { worker_connections 4096; }
http {
  access_log off;
  ${paths.join(" ")}
  server {
    listen 127.0.0.1:${port};
    location = /v1/events {
      proxy_pass ${origin};
      proxy_http_version 1.1;
      proxy_request_buffering off;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`,
  );
  const child = new Deno.Command(Deno.env.get("NGINX") ?? "/usr/sbin/nginx", {
    args: ["-p", directory, "-e", "error.log", "-c", "nginx.conf"],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  await untilListening(port);
  return {
    port,
    async stop(): Promise<void> {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(directory, { recursive: true });
    },
  };
}

function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function untilListening(port: number): Promise<void> {
  for (const limitMs = Date.now() + 10_000; Date.now() < limitMs;) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch {
      await new Promise((next) => setTimeout(next, 20)); // not yet
    }
  }
  throw new Error("nginx doesn't listen");
}
