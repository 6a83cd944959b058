/** Leads from the address of the ingest to its reports, by a path that holds behind a proxy's prefix as well. */
export function leadToReports(request: Request): Response | undefined {
  if (request.method === "POST" || new URL(request.url).pathname !== "/") return undefined;
  return new Response(null, { status: 302, headers: { "Location": "reports", "Cache-Control": "no-store" } });
}
