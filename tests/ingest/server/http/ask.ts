import { toResponse } from "../../../../src/ingest/http/answers.ts";
import { fromRequest } from "../../../../src/ingest/http/request.ts";
import type { App } from "../../../../src/ingest/server/http/app.ts";
import type { Sender } from "../../../../src/ingest/server/http/sender.ts";

/** Asks an app as a connection does, of the address at its other end. */
export async function ask({ handle }: App, request: Request, peer?: Sender): Promise<Response> {
  const answer = await handle({ ...fromRequest(request), toRequest: () => request }, peer);
  return answer instanceof Response ? answer : toResponse(answer);
}
