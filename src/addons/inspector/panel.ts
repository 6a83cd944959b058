import { outsideZone } from "../../client/platform/zone.ts";
import type { Entry, EntryState } from "./entries.ts";
import { isolateEvents } from "./isolate_events.ts";
import { STYLE } from "./style.ts";
import type { Status, Watch } from "./watch.ts";

/** A panel in the page. */
export interface Panel {
  /** Takes it away. */
  remove(): void;
}

/** Interval in which the panel looks at what changes by time: consent, storage, the wait for the next attempt. */
const REFRESH_MS = 1000;

/** Time in which changes are gathered before they're shown. */
const RENDER_DELAY_MS = 50;

/** A random ID, and the part of it that is shown where it says nothing to anyone. */
const RANDOM_ID = /\b([\da-f]{4})[\da-f]{4}-[\da-f-]{27}\b/g;

const LOOKS: Partial<Record<EntryState, "good" | "held" | "bad" | "busy">> = {
  delivered: "good",
  recorded: "busy",
  waiting: "busy",
  sent: "busy",
  stored: "held",
  redacted: "held",
  "held back": "held",
  "taken back": "held",
  refused: "bad",
  dropped: "bad",
  ignored: "bad",
  warning: "bad",
};

/** A line as it's shown. */
interface Row {
  readonly entry: Entry;
  readonly element: HTMLLIElement;
}

/** Attributes and text of an element. */
interface ElementOptions {
  /** Attribute `class`. */
  readonly class?: string;
  /** Its text: whatever comes from the page stays text. */
  readonly text?: string;
  /** Other attributes. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The elements of the panel that change, or that something is done with. */
interface Frame {
  /** Element that is put into the page. */
  readonly host: HTMLElement;
  /** Part that is left out while the panel is collapsed. */
  readonly body: HTMLElement;
  readonly facts: HTMLElement;
  readonly filter: HTMLInputElement;
  readonly count: HTMLElement;
  readonly empty: HTMLElement;
  readonly list: HTMLElement;
  readonly collapse: HTMLElement;
  readonly close: HTMLElement;
  readonly copy: HTMLElement;
  readonly clear: HTMLElement;
}

/** Creates an element, without markup: a page may demand Trusted Types. */
function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: ElementOptions,
  ...children: readonly Node[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (options.class !== undefined) element.className = options.class;
  if (options.text !== undefined) element.textContent = options.text;
  for (const [name, value] of Object.entries(options.attributes ?? {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Opens the panel at the end of the document, beside the body: nothing that the page counts or lays out changes. */
export function createPanel(watch: Watch, onClose: () => void): Panel {
  const { host, body, facts, filter, count, empty, list, collapse, close, copy, clear } = buildFrame();
  const rows = new Map<number, Row>();
  let shownFacts = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isShown = (entry: Entry): boolean => describe(entry).toLowerCase().includes(filter.value.trim().toLowerCase());
  const showFacts = (): void => {
    const lines = describeStatus(watch.status());
    const text = JSON.stringify(lines);
    if (text === shownFacts) return; // a selection in it stays
    shownFacts = text;
    facts.replaceChildren(...lines.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { text: value })]));
  };
  const showRows = (): void => {
    const entries = watch.entries();
    const keys = new Set(entries.map(({ key }) => key));
    for (const [key, { element }] of rows) {
      if (keys.has(key)) continue;
      element.remove();
      rows.delete(key);
    }
    let shown = 0;
    for (const entry of entries) {
      const row = rows.get(entry.key);
      if (row?.entry !== entry) {
        const element = row?.element ?? el("li", { class: "row" });
        if (!row) list.prepend(element);
        fillRow(element, row?.entry, entry);
        rows.set(entry.key, { entry, element });
      }
      const { element } = rows.get(entry.key) as Row;
      element.hidden = !isShown(entry);
      if (!element.hidden) shown++;
    }
    count.textContent = shown === entries.length ? `${shown}` : `${shown} of ${entries.length}`;
    empty.hidden = entries.length > 0;
  };
  const show = (): void => {
    showFacts();
    showRows();
  };
  const render = (): void => {
    if (timer === undefined) timer = outsideZone(globalThis, () => setTimeout(refresh, RENDER_DELAY_MS));
  };
  const refresh = (): void => {
    timer = undefined;
    show();
  };
  const toggle = (): void => {
    body.hidden = !body.hidden;
    host.toggleAttribute("data-collapsed", body.hidden);
    collapse.textContent = body.hidden ? "+" : "–";
    collapse.setAttribute("aria-expanded", `${!body.hidden}`);
    collapse.setAttribute("aria-label", body.hidden ? "Expand" : "Collapse");
  };
  const onClick = (target: Element): void => {
    const button = target.closest("button");
    if (button === close) onClose();
    else if (button === collapse) toggle();
    else if (button === clear) {
      watch.clear();
      show();
    } else if (button === copy) {
      const entries = watch.entries().filter(isShown);
      copyText(copy, JSON.stringify(entries.map(toPlain), null, 2));
    } else if (button) copyText(button, button.previousElementSibling?.textContent ?? "");
  };
  const onKey = (event: KeyboardEvent, target: Element): void => {
    if (event.key !== "Escape" || event.isComposing) return;
    if (target !== filter || !filter.value) return onClose();
    filter.value = ""; // not every browser does
    showRows();
  };
  const release = isolateEvents(host, (event, target) => {
    if (event.type === "click") onClick(target);
    else if (event.type === "input") showRows();
    else if (event.type === "keydown") onKey(event as KeyboardEvent, target);
  });
  const clock = outsideZone(globalThis, () =>
    setInterval(() => {
      if (document.visibilityState === "visible") showFacts();
    }, REFRESH_MS));

  document.documentElement.append(host);
  watch.onChange(render);
  show();
  return {
    remove() {
      clearInterval(clock);
      clearTimeout(timer);
      release();
      host.remove();
    },
  };
}

function buildFrame(): Frame {
  const host = document.createElement("vendor-inspector");
  host.lang = "en"; // whatever the page's language and direction
  host.dir = "ltr";
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const collapse = el("button", {
    text: "–",
    attributes: { type: "button", "aria-label": "Collapse", "aria-expanded": "true" },
  });
  const close = el("button", { text: "×", attributes: { type: "button", "aria-label": "Close" } });
  const title = el("p", { class: "title", text: "Analytics inspector" });
  const head = el("div", { class: "head" }, title, collapse, close);
  const facts = el("dl", {});
  const filter = el("input", { attributes: { type: "search", autocomplete: "off", spellcheck: "false" } });
  const count = el("span", { class: "count", attributes: { role: "status" } });
  const copy = el("button", { text: "Copy", attributes: { type: "button", "aria-label": "Copy what is shown" } });
  const clear = el("button", { text: "Clear", attributes: { type: "button" } });
  const tools = el(
    "div",
    { class: "tools" },
    el("label", {}, el("span", { text: "Filter" }), filter),
    count,
    copy,
    clear,
  );
  const empty = el("p", { class: "empty", text: "Nothing yet. Calls and events appear here, the newest first." });
  const list = el("ol", {
    class: "rows",
    attributes: { tabindex: "0", "aria-label": "Calls and events, newest first" },
  });
  const status = el(
    "div",
    { class: "facts", attributes: { tabindex: "0", role: "group", "aria-label": "State" } },
    facts,
  );
  const body = el("div", { class: "body" }, status, tools, empty, list);
  root.append(el("aside", { class: "panel", attributes: { "aria-label": "Analytics inspector" } }, head, body));
  return { host, body, facts, filter, count, empty, list, collapse, close, copy, clear };
}

/** Copies a text, and says on the button whether that was allowed. */
async function copyText(button: Element, text: string): Promise<void> {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed"; // no secure context, or a policy
  }
  setTimeout(() => button.textContent = label, REFRESH_MS);
}

/** Fills a line. What is open stays open: the parts that don't change are left alone. */
function fillRow(element: HTMLElement, before: Entry | undefined, entry: Entry): void {
  const { timeMs, name, state, note, json } = entry;
  const line = [
    el("span", { class: "time", text: new Date(timeMs).toLocaleTimeString("en-GB") }),
    el("span", { class: "state", text: state, attributes: { "data-look": LOOKS[state] ?? "none" } }),
    el("span", { class: "name", text: name }),
    el("span", { class: "note", text: note }),
  ];
  const summary = element.querySelector("summary");
  if (summary && before?.json === json) return summary.replaceChildren(...line);
  if (json === undefined) return element.replaceChildren(el("div", { class: "plain" }, ...line));
  const details = el("details", {}, el("summary", {}, ...line));
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    const text = JSON.stringify(JSON.parse(json), null, 2);
    const pre = el("pre", { text, attributes: { tabindex: "0", role: "region", "aria-label": `JSON of ${name}` } });
    const copy = el("button", {
      text: "Copy",
      attributes: { type: "button", "aria-label": `Copy the JSON of ${name}` },
    });
    details.append(el("div", { class: "json" }, pre, copy));
  });
  element.replaceChildren(details);
}

function describe({ name, state, note, json = "" }: Entry): string {
  return `${state} ${name} ${note} ${json}`;
}

function toPlain({ timeMs, name, state, note, json }: Entry): unknown {
  return { time: new Date(timeMs).toISOString(), state, name, note, ...(json && { event: JSON.parse(json) }) };
}

function describeStatus(status: Status): readonly (readonly [name: string, value: string])[] {
  const { consent, owner, stored, waiting, underWay, retryMs, drops } = status;
  const unknown = consent === "granted" ? "the next event tells" : `none: consent is ${consent}`;
  const next = retryMs > 0 ? `the next attempt is in ${Math.ceil(retryMs / 1000)} s` : "until the next flush";
  const dropped = Object.entries(drops).map(([reason, amount]) => `${amount} ${reason}`).join(", ");
  return [
    ["Consent", consent],
    ["Visitor", owner?.visitor ?? unknown],
    ["Session", owner?.session ?? unknown],
    ["User", owner?.user === undefined ? unknown : owner.user ?? "anonymous"],
    ["Waiting", waiting === 0 ? "nothing" : `${waiting}, ${next}`],
    ["Under way", underWay === 0 ? "nothing" : `${underWay}`],
    ...(dropped ? [["Dropped", dropped] as const] : []),
    ["On the device", describeStored(stored, consent)],
  ];
}

function describeStored(stored: Status["stored"], consent: string): string {
  if (!stored) return `not looked at: consent is ${consent}`;
  const lines = stored.map(({ key, meaning }) => `${key.replace(RANDOM_ID, "$1…")}: ${meaning}`);
  return lines.join("\n") || "nothing";
}
