/** Why the server can't start, in one line for whoever starts it: no stack trace helps against a port in use. */
export class ServerFault extends Error {
  /** Tells it from programming errors. */
  override readonly name: string = "ServerFault";
}

/** What is wrong with how a command was asked, where only its work shows it. */
export class UsageFault extends ServerFault {
  override readonly name = "UsageFault";
}
