/**
 * The style of the banner, as a sheet that a content security policy has no say in. It follows the page's `color-scheme`,
 * and five properties of the page's own.
 */
export const STYLE = `
:host {
  all: initial;
  color-scheme: inherit;
  --ground: var(--consent-background, canvas);
  --text: var(--consent-color, canvastext);
  display: block;
}
@media print {
  :host { display: none; }
}
div {
  position: fixed;
  inset: auto 0 0;
  z-index: 2147483646;
  box-sizing: border-box;
  max-height: 100vh;
  padding: 1rem max(1rem, (100vw - 72rem) / 2);
  overflow: auto;
  font: 1rem/1.5 system-ui, sans-serif;
  color: var(--text);
  background: var(--ground);
  border-top: 1px solid var(--text);
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem 1.5rem;
  align-items: center;
}
p { flex: 1 1 20rem; margin: 0; }
a { color: inherit; }
span { flex: 1 1 18rem; max-width: 24rem; display: flex; flex-wrap: wrap; gap: 0.75rem; }
button {
  flex: 1 1 8rem;
  min-height: 44px;
  padding: 0.5rem 1.25rem;
  font: inherit;
  font-weight: 600;
  color: var(--consent-button-color, var(--ground));
  background: var(--consent-button-background, var(--text));
  border: 1px solid transparent;
  border-radius: var(--consent-radius, 6px);
  cursor: pointer;
}
:focus-visible { outline: 3px solid var(--text); outline-offset: 3px; }
div:focus { outline: 0; }
`;
