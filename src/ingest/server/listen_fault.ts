import { describeError } from "./describe_error.ts";
import { ServerFault } from "./server_fault.ts";

/** Says in one line why a server can't listen. */
export function buildListenFault(
  cause: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): ServerFault {
  const isInUse = cause instanceof Error &&
    (cause.name === "AddrInUse" || ("code" in cause && cause.code === "EADDRINUSE"));
  const reason = isInUse ? "the port is in use" : describeError(cause);
  return new ServerFault(`can't listen on ${host} port ${port}: ${reason}`, { cause });
}
