/** Why the server can't start, in one line for whoever starts it: no stack trace helps against a port in use. */
export class ServerFault extends Error {
  /** Tells it from programming errors. */
  override readonly name = "ServerFault";
}
