/**
 * The style of the panel, as a sheet that a content security policy has no say in. What a page says of the
 * element itself loses to what is important here.
 */
export const STYLE = `
:host {
  all: initial !important;
  position: fixed !important;
  inset: auto 12px 12px auto !important;
  z-index: 2147483647 !important;
  width: min(460px, calc(100vw - 24px)) !important;
  height: min(560px, calc(100vh - 24px)) !important;
  contain: layout style !important;
  color-scheme: light dark !important;
}
:host([data-collapsed]) { height: auto !important; }
@media (max-width: 600px) {
  :host { inset: auto 0 0 0 !important; width: auto !important; height: min(66vh, 560px) !important; }
}
@media print {
  :host { display: none !important; }
}
* { box-sizing: border-box; font: inherit; }
.panel {
  --ground: #ffffff; --raised: #f3f4f7; --line: #c9ced8; --text: #16191f; --quiet: #545c6b; --focus: #1d4fd8;
  --good: #0b6b3a; --held: #8a4b00; --bad: #b3201f; --busy: #1d4fd8;
  display: flex; flex-direction: column; width: 100%; height: 100%; overflow: hidden;
  font: 13px/1.45 system-ui, sans-serif; color: var(--text); background: var(--ground);
  border: 1px solid var(--line); border-radius: 10px; box-shadow: 0 8px 30px rgb(0 0 0 / 30%);
}
@media (prefers-color-scheme: dark) {
  .panel {
    --ground: #14171d; --raised: #1f242d; --line: #3b4352; --text: #eef1f6; --quiet: #a9b2c1; --focus: #8fb4ff;
    --good: #6fdc9f; --held: #f5b86a; --bad: #ff9a93; --busy: #8fb4ff;
  }
}
.head { display: flex; align-items: center; gap: 4px; padding: 6px 8px; background: var(--raised); }
.title { flex: 1; margin: 0; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.body { display: flex; flex-direction: column; flex: 1; min-height: 0; }
.facts { flex: none; max-height: 45%; padding: 8px 10px; overflow: auto; border-bottom: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 1px 10px; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; white-space: pre-line; }
.tools { display: flex; gap: 6px; align-items: center; padding: 6px 10px; border-bottom: 1px solid var(--line); }
.tools label { display: flex; flex: 1; gap: 6px; align-items: center; min-width: 0; }
input { flex: 1; min-width: 0; height: 28px; padding: 0 8px; color: var(--text); background: var(--ground); border: 1px solid var(--quiet); border-radius: 6px; }
button { min-width: 28px; height: 28px; padding: 0 8px; color: var(--text); background: var(--ground); border: 1px solid var(--quiet); border-radius: 6px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }
.rows { flex: 1; min-height: 0; margin: 0; padding: 0; overflow: auto; overscroll-behavior: contain; list-style: none; }
.row { border-bottom: 1px solid var(--line); }
summary, .plain { display: flex; flex-wrap: wrap; gap: 0 8px; padding: 5px 10px; list-style: none; }
summary::before, .plain::before { content: ""; width: 1ch; color: var(--quiet); }
summary::before { content: "▸"; }
[open] > summary::before { content: "▾"; }
summary { cursor: pointer; }
summary:hover { background: var(--raised); }
.time { color: var(--quiet); font-variant-numeric: tabular-nums; }
.state { font-weight: 600; color: var(--quiet); }
.name { min-width: 0; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: 12px; }
.note { min-width: 0; color: var(--quiet); overflow-wrap: anywhere; }
.note:empty, [hidden] { display: none !important; }
[data-look="good"] { color: var(--good); }
[data-look="held"] { color: var(--held); }
[data-look="bad"] { color: var(--bad); }
[data-look="busy"] { color: var(--busy); }
.json { position: relative; padding: 0 10px 8px; }
pre { margin: 0 0 6px; padding: 8px; max-height: 260px; overflow: auto; background: var(--raised); border-radius: 6px; font: 12px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.empty { margin: 0; padding: 14px 10px; color: var(--quiet); }
.count { color: var(--quiet); white-space: nowrap; }
@media (max-width: 600px) {
  .facts { max-height: 32%; }
}
@media (pointer: coarse) {
  button, input { min-width: 40px; height: 40px; }
  summary, .plain { padding-block: 9px; }
}
`;
