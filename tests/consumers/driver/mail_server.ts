/** The site that a visitor comes from. */
export interface MailServer {
  /** Origin, without a path. */
  readonly origin: string;
  /** Ends it. */
  close(): Promise<void>;
}

/** Serves a page with a link to the shop, under another name of this machine: another name is another site. */
export function startMailServer(target: string): MailServer {
  const html = `<!doctype html><title>Mail</title><link rel="icon" href="data:,"><a href="${target}">Tea shop</a>`;
  const headers = { "Content-Type": "text/html", "Referrer-Policy": "unsafe-url" };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(html, { headers }),
  );
  return { origin: `http://localhost:${server.addr.port}`, close: () => server.shutdown() };
}
