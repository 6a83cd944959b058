import { describeError } from "./describe_error.ts";
import { ServerFault } from "./server_fault.ts";

/** Says in one line why a server can't listen. */
export function buildListenFault(
  cause: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): ServerFault {
  const reason = isPortInUse(cause) ? "the port is in use" : describeError(cause);
  return new ServerFault(`can't listen on ${host} port ${port}: ${reason}`, { cause });
}

/** Returns whether a server can't listen since another one does. */
export function isPortInUse(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  return cause.name === "AddrInUse" || ("code" in cause && cause.code === "EADDRINUSE");
}
