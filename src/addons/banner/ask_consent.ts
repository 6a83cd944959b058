import { attempt } from "../../client/base/attempt.ts";
import { outsidePageZone, readGlobal } from "../page/page.ts";
import { makeRoom } from "./make_room.ts";
import { STYLE } from "./style.ts";

/** A choice to ask for: what `rememberConsent()` returns. */
export interface AskedConsent {
  /** Saves the choice. */
  choose(consent: "granted" | "denied"): void;
  /** Calls back now, and whenever it changes whether the visitor has to be asked; returns what ends it. */
  onChange(listener: (mustAsk: boolean) => void): () => void;
}

/** Settings of {@linkcode askConsent}. */
export interface AskConsentOptions {
  /**
   * Text of the question.
   *
   * @default {"May we recognise you when you come back? Until you choose, visits are counted without you."}
   */
  readonly text?: string;
  /**
   * Text of the button that agrees.
   *
   * @default {"Accept"}
   */
  readonly accept?: string;
  /**
   * Text of the button that declines.
   *
   * @default {"Decline"}
   */
  readonly decline?: string;
  /**
   * Name of the banner for assistive technology.
   *
   * @default {"Privacy choices"}
   */
  readonly label?: string;
  /**
   * A link to what the site says of privacy, behind the question.
   *
   * @default {none}
   */
  readonly more?: { readonly text: string; readonly href: string };
  /**
   * Fragment of the links that open the banner again, as in `<a href="#consent">Privacy choices</a>`. A link to another
   * page leads there, whatever its fragment is.
   *
   * @default {"#consent"}
   */
  readonly opener?: string;
}

const QUESTION = "May we recognise you when you come back? Until you choose, visits are counted without you.";

/**
 * Asks visitors who haven't chosen, in a banner at the bottom of the page, and again where they press a link to
 * `#consent`. Both answers are buttons of the same kind, and Escape leaves the choice as it is. The focus goes into the
 * banner where nothing else has it, and back to the link when it closes. It loads nothing, and needs nothing of a content
 * security policy. Where there is no document, it does nothing.
 *
 * The banner follows the page's `color-scheme`, and these custom properties of the page: `--consent-background`,
 * `--consent-color`, `--consent-button-background`, `--consent-button-color` and `--consent-radius`.
 *
 * @param consent What `rememberConsent()` returned.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { askConsent } from "@vendor/sdk/banner";
 * import { rememberConsent } from "@vendor/sdk/consent";
 *
 * const consent = rememberConsent(Vendor);
 * askConsent(consent, { more: { text: "Privacy", href: "/privacy" } });
 * ```
 *
 * @returns Takes the banner away, and ends it.
 */
export function askConsent(consent: AskedConsent, options: AskConsentOptions = {}): () => void {
  if (readGlobal("document") === undefined) return () => {};
  const texts = Object(options) as AskConsentOptions; // code without types passes null
  const { opener = "#consent" } = texts;
  let host: HTMLElement | undefined;
  /** Element that had the focus before a link opened the banner. */
  let origin: HTMLElement | undefined;
  let giveRoomBack: (() => void) | undefined;

  function show(isAsked: boolean): void {
    host ??= build(texts, (choice) => {
      if (choice !== undefined) consent.choose(choice);
      hide();
    });
    const dialog = host.shadowRoot?.querySelector("div");
    if (!host.isConnected) {
      document.documentElement.append(host); // beside the body, which a framework may own
      giveRoomBack?.(); // the page may have removed the host itself
      if (dialog) giveRoomBack = makeRoom(host, dialog);
    }
    // Who reads or writes something isn't torn away from it.
    if (isAsked || document.activeElement === document.body) dialog?.focus({ preventScroll: true });
  }

  function hide(): void {
    const hadFocus = host !== undefined && document.activeElement === host;
    host?.remove();
    giveRoomBack?.();
    giveRoomBack = undefined;
    if (hadFocus) origin?.focus({ preventScroll: true });
    origin = undefined;
  }

  function onClick(event: MouseEvent): void {
    const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement);
    // Under a <base>, the browser takes "#consent" for a link to another page.
    const here = location.href.replace(/#.*/s, "") + opener;
    if (!link || (link.getAttribute("href") !== opener && link.href !== here)) return;
    event.preventDefault();
    origin = link;
    show(true);
  }

  return outsidePageZone(() => {
    document.addEventListener("click", onClick);
    const end = consent.onChange((mustAsk) => mustAsk ? show(false) : hide());
    return () => {
      document.removeEventListener("click", onClick);
      end();
      hide();
    };
  });
}

/** Builds the banner; `choose` hears undefined where the visitor leaves the choice as it is. */
function build(
  { text = QUESTION, accept = "Accept", decline = "Decline", label = "Privacy choices", more }: AskConsentOptions,
  choose: (choice?: "granted" | "denied") => void,
): HTMLElement {
  const host = document.createElement("vendor-banner");
  const root = host.attachShadow({ mode: "open" });
  const isAdopted = attempt(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    return true;
  });
  if (!isAdopted) root.append(el("style", STYLE)); // Safari before 16.4, Firefox before 101
  const dialog = el("div");
  dialog.setAttribute("role", "dialog");
  dialog.setAttribute("aria-label", label);
  dialog.tabIndex = -1;
  const question = el("p", text);
  if (more) {
    const link = el("a", more.text);
    link.href = more.href;
    question.append(" ", link);
  }
  const buttons = el("span");
  for (const [name, choice] of [[accept, "granted"], [decline, "denied"]] as const) {
    const button = el("button", name);
    button.type = "button";
    button.addEventListener("click", () => choose(choice));
    buttons.append(button);
  }
  dialog.append(question, buttons);
  dialog.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") choose();
  });
  root.append(dialog);
  return host;
}

function el<K extends keyof HTMLElementTagNameMap>(name: K, text = ""): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
