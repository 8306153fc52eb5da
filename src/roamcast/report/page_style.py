"""The style sheet of a page: light or dark like the reader's system, narrow or wide, and for print."""

STYLE = """
:root {
  color-scheme: light dark;
  --ground: #ffffff; --text: #1c1e21; --quiet: #5a6068; --line: #d5d9de; --raised: #f4f6f8; --link: #0b5cad;
  --good-ground: #dff3e6; --good-text: #0b5a2b;
  --bad-ground: #fbe0dd; --bad-text: #8f1d12;
  --open-ground: #fdf0cf; --open-text: #6b4a00;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ground: #16181b; --text: #e6e8ea; --quiet: #a3a9b1; --line: #3a3f45; --raised: #202327; --link: #7db7f5;
    --good-ground: #123a22; --good-text: #9fe3b6;
    --bad-ground: #4a1a15; --bad-text: #ffb8ae;
    --open-ground: #43340c; --open-text: #ffdf8a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.25; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 0.6rem; overflow-wrap: anywhere; }
p, li, dd { max-width: 46rem; overflow-wrap: anywhere; }
a { color: var(--link); }
nav ol { columns: 20rem; padding-left: 1.4rem; }
/* A picture bears its title; the heading is there for those who hear the page and for its outline. */
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
caption { text-align: left; color: var(--quiet); padding: 0.4rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.45rem 0.7rem; border-bottom: 1px solid var(--line); }
thead th { background: var(--raised); }
.right { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.verdict { white-space: nowrap; font-weight: 600; }
.holds, .exceeded { background: var(--good-ground); color: var(--good-text); }
.contradicted { background: var(--bad-ground); color: var(--bad-text); }
.weaker, .undecided { background: var(--open-ground); color: var(--open-text); }
.untestable { color: var(--quiet); }
figure { margin: 2.5rem 0 0; }
/* The pictures are black on white in both schemes: their colours were chosen for white. */
figure img { display: block; max-width: 100%; height: auto; background: #ffffff; border-radius: 6px; }
figcaption { color: var(--quiet); font-size: 0.85rem; margin: 0.3rem 0; }
details { margin: 0.4rem 0; }
summary { cursor: pointer; }
pre { background: var(--raised); padding: 0.8rem 1rem; border-radius: 6px; white-space: pre-wrap; }
pre, code { overflow-wrap: anywhere; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1.2rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
@media (max-width: 42rem) {
  /* A picture shrunk to a phone's width cannot be read; it is moved sideways instead. */
  figure img { max-width: none; width: 44rem; }
  table { min-width: 44rem; }
  /* A row of verdicts becomes a block, so that no verdict is out of sight. */
  .verdicts { min-width: 0; }
  .verdicts thead { display: none; }
  .verdicts tr, .verdicts td { display: block; border-bottom: 0; overflow-wrap: anywhere; }
  .verdicts tr { border-bottom: 1px solid var(--line); padding: 0.5rem 0; }
  dl { grid-template-columns: 1fr; }
  dt { margin-top: 0.5rem; }
}
@media print {
  main { max-width: none; padding: 0; }
  nav, details, figcaption { display: none; }
  h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  figure img { max-width: 100%; width: auto; }
  .verdict { border: 1px solid #555555; }
}
"""
