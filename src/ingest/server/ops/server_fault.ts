/** Why the server can't start, in one line for its operator: no stack trace helps against a port in use. */
export class ServerFault extends Error {
  /** Tells it from programming errors. */
  override readonly name: string = "ServerFault";
}

/** A fault in the call of a command that only its work shows. */
export class UsageFault extends ServerFault {
  override readonly name = "UsageFault";
}
