/** What a failed assertion throws. */
export class AssertionError extends Error {
  /** Takes the message, and the cause if there is one. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}
