/** The part of `next/script` that the README uses. */
export default function Script(props: {
  readonly src?: string;
  readonly id?: string;
  readonly nonce?: string;
  readonly strategy?: "beforeInteractive" | "afterInteractive" | "lazyOnload" | "worker";
  readonly onLoad?: () => void;
}): null;
