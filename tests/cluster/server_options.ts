/** How a server is started by who isn't a test. */
export interface ServerOptions {
  /**
   * Folder for its files.
   *
   * @default {the system's folder for temporary files}
   */
  readonly directory?: string;
  /**
   * Whether a Ctrl-C in the terminal doesn't reach it: whoever started it ends it.
   *
   * @default {false}
   */
  readonly isDetached?: boolean;
}
