/**
 * Automatic events to record. Everything is off by default.
 *
 * @example
 * ```ts
 * import type { AutoOptions } from "@vendor/sdk/auto";
 *
 * const options: AutoOptions = { outbound: { ownOrigins: ["https://help.shop.example"] }, downloads: true };
 * ```
 */
export interface AutoOptions {
  /**
   * `$engagement`: how long a page was visible and focused, and how far it was scrolled.
   *
   * @default {false}
   */
  readonly engagement?: boolean;
  /**
   * `$outbound`: a link to another origin was opened.
   *
   * @default {false}
   */
  readonly outbound?: boolean | {
    /**
     * Origins that are yours beside the page's own, such as `https://help.shop.example`: links to them don't lead away.
     *
     * @default {[]}
     */
    readonly ownOrigins?: readonly string[];
  };
  /**
   * `$download`: a link to a file was opened. Such a link is no `$outbound`.
   *
   * @default {false}
   */
  readonly downloads?: boolean | {
    /**
     * Endings of paths, without the dot, that make a link a download: in place of the list in the guide. A link with the
     * attribute `download` is one in any case.
     */
    readonly endings?: readonly string[];
  };
  /**
   * `$form`: a form was submitted.
   *
   * @default {false}
   */
  readonly forms?: boolean;
  /**
   * A step for each click on an element with `data-vendor-step`.
   *
   * @default {false}
   */
  readonly clicks?: boolean;
}
