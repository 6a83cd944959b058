/** Settings of a {@linkcode DemoFault}. */
export interface DemoFaultOptions extends ErrorOptions {
  /**
   * Exit code of the demo.
   *
   * @default {1}
   */
  readonly exitCode?: number;
}

/** Why the demo can't start, in one line for its user: no stack trace helps against a port in use. */
export class DemoFault extends Error {
  /** Tells it from programming errors. */
  override readonly name = "DemoFault";
  /** Exit code of the demo. */
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, ...options }: DemoFaultOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
