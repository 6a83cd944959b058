/** A server of files. */
export interface StaticServer {
  /** Origin, without a path. */
  readonly origin: string;
  /** Ends it. */
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = { html: "text/html; charset=utf-8", js: "text/javascript" };

/** Settings of {@linkcode serveDirectory}. */
export interface StaticOptions {
  /** Redirects, by path. */
  readonly redirects?: Readonly<Record<string, string>>;
  /** Whether every path without an extension is that of the one `index.html`, as a router in the page needs it. */
  readonly isSinglePage?: boolean;
}

/** Serves the files of a directory; a path without an extension is that of an `index.html`. */
export function serveDirectory(directory: string, options: StaticOptions = {}): StaticServer {
  const { redirects = {}, isSinglePage = false } = options;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const target = redirects[pathname];
    if (target) return new Response(null, { status: 302, headers: { Location: target } });
    const folder = isSinglePage ? "" : pathname.replace(/\/$/, "");
    const path = /\.\w+$/.test(pathname) ? pathname : `${folder}/index.html`;
    const type = TYPES[path.split(".").at(-1) ?? ""];
    try {
      return new Response(await Deno.readFile(directory + path), { headers: { "Content-Type": type ?? "text/plain" } });
    } catch {
      return new Response("There is no such file.", { status: 404 });
    }
  });
  return { origin: `http://127.0.0.1:${server.addr.port}`, close: () => server.shutdown() };
}
