/** Why the demo can't start, in one line for its user: no stack trace helps against a port in use. */
export class DemoFault extends Error {
  /** Tells it from programming errors. */
  override readonly name = "DemoFault";
}
