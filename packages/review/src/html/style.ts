/** The report's looks. Colours are said once, for light and dark; paper is always light. */
export const style = `
:root {
  color-scheme: light dark;
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --page: light-dark(#f3f4f7, #0d0f13);
  --surface: light-dark(#ffffff, #14171d);
  --soft: light-dark(#f5f6f9, #1a1e26);
  --ink: light-dark(#161a22, #e7eaf0);
  --dim: light-dark(#545d6e, #a3adbd);
  --line: light-dark(#dfe3ea, #2a303b);
  --accent: light-dark(#3347c4, #93a4ff);
  --accent-soft: light-dark(#e8ebfd, #262d52);
  --high: light-dark(#b01e28, #ff8f8f);
  --high-soft: light-dark(#fdebec, #34161a);
  --medium: light-dark(#7a4d00, #f0c062);
  --medium-soft: light-dark(#fdf3de, #2d2410);
  --low: light-dark(#22479e, #9dbdff);
  --low-soft: light-dark(#e9effc, #18233d);
  --info: light-dark(#545d6e, #a3adbd);
  --info-soft: light-dark(#eef0f4, #1e232c);
  --good: light-dark(#12683b, #6fd79c);
  --good-soft: light-dark(#e6f5ec, #11291d);
  --fill-holds: light-dark(#c8434c, #e0757b);
  --fill-asks: light-dark(#d99a2b, #d9a94e);
  --fill-changes: light-dark(#5a6fe0, #8797f5);
  --fill-allows: light-dark(#9a4fb5, #c78ee0);
  --fill-passes: light-dark(#cfd5df, #3b4352);
  --fill-faults: light-dark(#3a0d12, #ffd7d9);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 20px; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.55 var(--sans); }
h1, h2, h3, h4, p, ul, ol, dl, dd, pre, figure { margin: 0; }
ul, ol { padding-left: 1.25rem; }
li + li { margin-top: .3rem; }
code, pre { font: .88em/1.5 var(--mono); }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 16px; top: 10px; background: var(--surface); padding: 8px 12px; z-index: 2; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.layout { max-width: 1240px; margin: 0 auto; padding: 28px 24px 60px; display: grid; gap: 40px; grid-template-columns: 200px minmax(0, 1fr); }
main { display: flex; flex-direction: column; gap: 28px; min-width: 0; } main:focus { outline: none; }
.contents { position: sticky; top: 28px; align-self: start; max-height: calc(100vh - 56px); overflow: auto; font-size: 14px; }
.contents ul { list-style: none; padding: 0; } .contents li { margin: 0; }
.contents a { display: flex; align-items: center; gap: 8px; color: var(--dim); text-decoration: none; padding: 5px 10px; border-radius: 7px; overflow-wrap: anywhere; }
.contents a:hover { background: var(--info-soft); color: var(--ink); }
.contents .number { margin-left: auto; font-variant-numeric: tabular-nums; }
.brand { font-weight: 650; padding: 0 10px 14px; letter-spacing: -.01em; } .brand span { color: var(--dim); font-weight: 450; }
.dot { flex: none; width: 8px; height: 8px; border-radius: 50%; background: var(--line); }
.dot.high { background: var(--high); } .dot.medium { background: var(--medium); } .dot.low { background: var(--low); }
.eyebrow { font-size: 12px; font-weight: 650; letter-spacing: .07em; text-transform: uppercase; color: var(--dim); }
h1 { font-size: 32px; line-height: 1.15; letter-spacing: -.025em; overflow-wrap: anywhere; }
h2 { font-size: 21px; letter-spacing: -.015em; margin-bottom: 14px; line-height: 1.25; overflow-wrap: anywhere; }
h3 { font-size: 16px; line-height: 1.35; }
summary h2, summary h3 { display: inline; } .part > summary .quiet { overflow-wrap: anywhere; margin-left: 6px; }
h4 { font-size: 13px; color: var(--dim); margin: 18px 0 6px; font-weight: 600; }
.head { margin-bottom: -20px; }
.quiet, .note, .look, .description { color: var(--dim); } .quiet { font-size: .92em; }
.text-high { color: var(--high); } .text-medium { color: var(--medium); } .text-low { color: var(--low); } .text-info { color: var(--info); }
.grown { color: var(--high); font-weight: 600; } .shrunk { color: var(--good); } .good-line { color: var(--good); }

.sheet { background: var(--surface); border: 1px solid var(--line); border-top: 5px solid var(--tone); border-radius: 14px; padding: 24px 26px; display: flex; flex-direction: column; gap: 20px; }
.sheet.refuse { --tone: var(--high); --tone-soft: var(--high-soft); } .sheet.look { --tone: var(--medium); --tone-soft: var(--medium-soft); } .sheet.approve { --tone: var(--good); --tone-soft: var(--good-soft); }
.sheet-head { display: flex; gap: 16px; align-items: flex-start; } .sheet h2 { margin: 0 0 2px; font-size: 25px; color: var(--tone); }
.mark { flex: none; width: 46px; height: 46px; border-radius: 50%; display: grid; place-items: center; font-size: 23px; font-weight: 700; background: var(--tone-soft); color: var(--tone); }
.why { font-size: 16px; overflow-wrap: anywhere; }
.tiles { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 12px; }
.tile { margin: 0; border-radius: 10px; padding: 6px 14px; display: flex; align-items: baseline; gap: 8px; }
.tile strong { font-size: 20px; line-height: 1.15; font-variant-numeric: tabular-nums; letter-spacing: -.02em; } .tile span { font-size: 13px; }
.tile.high { background: var(--high-soft); color: var(--high); } .tile.medium { background: var(--medium-soft); color: var(--medium); } .tile.low { background: var(--low-soft); color: var(--low); } .tile.info { background: var(--info-soft); color: var(--info); }
.tile.none { background: var(--soft); color: var(--dim); } .tile.none strong { font-weight: 450; }
.note { font-size: 13px; }
.notice { background: var(--medium-soft); border-radius: 12px; padding: 16px 20px; } .notice h2 { font-size: 16px; margin-bottom: 6px; }
.digests { margin-top: 4px; } .digests dl { display: block; margin-top: 8px; } .digests dl div { display: grid; grid-template-columns: 140px minmax(0, 1fr); padding: 3px 0; font-size: 13px; } .digests dt { color: var(--dim); } .digests dd { overflow-wrap: anywhere; }
summary { cursor: pointer; border-radius: 5px; } .digests summary, .inline summary, .more > summary { color: var(--accent); font-size: 14px; } .more > summary { padding: 8px 0; }
.paper { display: none; }

.finding { background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: 10px; padding: 16px 20px; margin-bottom: 12px; display: flex; flex-direction: column; gap: 6px; min-width: 0; }
.finding.high, .branch.high { --tone: var(--high); } .finding.medium, .branch.medium { --tone: var(--medium); } .finding.low { --tone: var(--low); } .finding.info { --tone: var(--info); }
.finding-head { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; font-size: 13px; color: var(--dim); } .finding-head > code { color: var(--ink); }
.finding-id { margin-left: auto; font-variant-numeric: tabular-nums; } .finding-where { overflow-wrap: anywhere; }
.finding h3 { overflow-wrap: anywhere; font-weight: 600; } .look { font-size: 14px; }
.badge { font-size: 11.5px; line-height: 1.5; font-weight: 700; text-transform: uppercase; letter-spacing: .04em; padding: 1px 8px; border-radius: 99px; }
.badge.high { background: var(--high-soft); color: var(--high); } .badge.medium { background: var(--medium-soft); color: var(--medium); } .badge.low { background: var(--low-soft); color: var(--low); } .badge.info { background: var(--info-soft); color: var(--info); }
.finding > .evidence .guest, .finding > .guest { max-height: 172px; } .finding > .more > summary { padding: 0; }
.evidence .guest + .guest { margin-top: 4px; } .evidence h4 { margin: 8px 0 4px; }
.guest { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 340px; overflow: auto; font-size: 13px; }
.source .guest { max-height: 620px; white-space: pre; overflow-wrap: normal; margin-top: 8px; }
.guest-line { white-space: pre-wrap; overflow-wrap: anywhere; }
.hidden { background: var(--high-soft); color: var(--high); border-radius: 3px; padding: 0 2px; font-weight: 600; } .cut { color: var(--dim); font-style: italic; }
.wrap { overflow-wrap: anywhere; white-space: pre-wrap; }

.hook { display: flex; flex-direction: column; gap: 6px; padding-top: 24px; border-top: 1px solid var(--line); } .hook > h2 { margin: 0; font-size: 24px; }
.part { min-width: 0; } .part > summary { padding: 4px 0; } .part[open] { display: flex; flex-direction: column; gap: 8px; padding-bottom: 16px; } .part > h3 { font-size: 18px; letter-spacing: -.01em; }
.plain { list-style: none; padding: 0; }
.power { display: grid; grid-template-columns: 84px minmax(0, 1fr); gap: 14px; align-items: start; padding: 8px 0; border-bottom: 1px solid var(--line); margin: 0; } .power:last-child { border: 0; }
svg { display: block; } .meter { width: 84px; height: 8px; margin-top: 8px; } .rail { fill: var(--line); }
.meter.high .fill { fill: var(--fill-holds); } .meter.medium .fill { fill: var(--fill-asks); } .meter.low .fill { fill: var(--fill-changes); } .meter.cover .fill { fill: var(--good); }
.coverage { display: flex; align-items: center; gap: 12px; flex-wrap: wrap; } .meter.cover { width: 160px; margin: 0; border-radius: 4px; }
.branch { border: 1px solid var(--line); border-left: 4px solid var(--tone, var(--line)); background: var(--surface); border-radius: 10px; padding: 12px 16px; margin-top: 8px; display: flex; flex-direction: column; gap: 7px; }
.branch-head { display: flex; gap: 4px 12px; flex-wrap: wrap; align-items: baseline; overflow-wrap: anywhere; } .depends { color: var(--medium); font-size: 14px; } .branch.high .depends { color: var(--high); font-weight: 600; }
.condition { border-left: 3px solid var(--line); }
.lists { display: grid; gap: 6px; } .lists div { display: grid; grid-template-columns: 180px minmax(0, 1fr); gap: 12px; } .lists dt { color: var(--dim); } .lists dd { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
table { border-collapse: collapse; width: 100%; font-size: 14px; } th { text-align: left; font-size: 12px; font-weight: 600; color: var(--dim); background: var(--soft); white-space: nowrap; }
th, td { padding: 8px 14px; vertical-align: top; border-bottom: 1px solid var(--line); } tbody tr:last-child td { border-bottom: 0; }
.numbers td:not(:first-child) { font-variant-numeric: tabular-nums; } td { overflow-wrap: break-word; } .wide td { min-width: 90px; } .wide td .wrap { display: inline-block; min-width: 120px; }
.bar-cell { display: inline-flex; align-items: center; gap: 8px; } .bar { width: 70px; height: 8px; background: var(--soft); border-radius: 2px; } .bar .fill { fill: var(--fill-changes); }
.chart { display: flex; flex-direction: column; gap: 16px; } .legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; color: var(--dim); } .legend li { display: inline-flex; align-items: center; gap: 7px; margin: 0; } .swatch { width: 12px; height: 12px; border-radius: 3px; }
.bar-label { display: flex; justify-content: space-between; gap: 12px; margin-bottom: 4px; } svg.actions { width: 100%; height: 20px; border-radius: 5px; background: var(--soft); margin-bottom: 4px; }
.swatch.holds { background: var(--fill-holds); } .swatch.asks { background: var(--fill-asks); } .swatch.changes { background: var(--fill-changes); } .swatch.allows { background: var(--fill-allows); } .swatch.passes { background: var(--fill-passes); } .swatch.faults { background: var(--fill-faults); }
rect.holds { fill: var(--fill-holds); } rect.asks { fill: var(--fill-asks); } rect.changes { fill: var(--fill-changes); } rect.allows { fill: var(--fill-allows); } rect.passes { fill: var(--fill-passes); } rect.faults { fill: var(--fill-faults); }
.verdict-word { font-weight: 650; } .verdict-word.holds { color: var(--high); } .verdict-word.asks { color: var(--medium); } .verdict-word.passes { color: var(--good); }
.curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 420px), 1fr)); gap: 20px; margin-top: 14px; } figure { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: 16px; min-width: 0; } figcaption { font-size: 14px; margin: 8px 0; overflow-wrap: anywhere; }
svg.curve { width: 100%; height: auto; } .curve text { font: 11px var(--sans); fill: var(--dim); } .grid line { stroke: var(--line); stroke-width: 1; } .axis line { stroke: var(--dim); stroke-width: 1; }
.curve .line { fill: none; stroke: var(--accent); stroke-width: 2; } .point { fill: var(--accent); } .point.fault { fill: var(--high); stroke: var(--surface); stroke-width: 2; } .limit line { stroke: var(--high); stroke-width: 1.5; stroke-dasharray: 6 4; } .curve .limit text { fill: var(--high); font-weight: 600; }
.part h4:first-child { margin-top: 0; } section > h3 { margin: 16px 0 6px; } .part > h3 { margin: 0; } .grown strong { font-size: 11.5px; text-transform: uppercase; letter-spacing: .04em; background: var(--high-soft); border-radius: 99px; padding: 1px 8px; margin-left: 6px; }
.powers-diff li { display: flex; gap: 10px; } .sign { flex: none; } .fold { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 10px 16px; margin-top: 8px; } .fold.opens { border-left: 4px solid var(--high); } .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; } .pair > div { min-width: 0; }
footer { color: var(--dim); font-size: 13px; border-top: 1px solid var(--line); padding-top: 16px; overflow-wrap: anywhere; }

@media screen and (max-width: 900px) {
  .layout { grid-template-columns: minmax(0, 1fr); padding: 18px 16px 40px; gap: 22px; }
  .contents { position: static; max-height: none; min-width: 0; border-bottom: 1px solid var(--line); padding-bottom: 12px; } .contents ul { position: relative; display: flex; gap: 2px; overflow-x: auto; white-space: nowrap; } .contents .number { margin: 0; } .contents a { padding: 4px 8px; } .brand { padding: 0 8px 8px; }
  h1 { font-size: 26px; } .sheet { padding: 18px; } .sheet h2 { font-size: 21px; } main { gap: 18px; } .tiles { gap: 6px; } .tile { padding: 4px 8px; gap: 5px; flex-wrap: wrap; } .sheet { gap: 12px; } .notice { padding: 10px 14px; }
  .lists div, .digests dl div { grid-template-columns: minmax(0, 1fr); gap: 0; } .pair { grid-template-columns: minmax(0, 1fr); } .finding { padding: 12px; } .finding > .evidence .guest, .finding > .guest { max-height: 112px; padding: 6px 10px; } .finding > .evidence h4 { margin: 2px 0; } .power { grid-template-columns: 56px minmax(0, 1fr); } .power .meter { width: 56px; } th, td { padding: 7px 10px; }
  .wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .wide, .wide tbody, .wide tr, .wide td { display: block; } .wide tr { border-bottom: 1px solid var(--line); padding: 6px 0; } .wide tr:last-child { border: 0; }
  .wide td { border: 0; display: grid; grid-template-columns: 92px minmax(0, 1fr); gap: 10px; padding: 3px 12px; } .wide td::before { content: attr(data-label); color: var(--dim); font-size: 12px; padding-top: 2px; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media (forced-colors: active) { .badge, .tile, .sheet { border: 1px solid; } rect { forced-color-adjust: none; } }
@media print {
  :root { color-scheme: light; } body { background: #fff; font-size: 10.5pt; } .layout { display: block; max-width: none; padding: 0; } .contents, .skip { display: none; } main { gap: 22px; } .head { margin-bottom: -8px; }
  .sheet, .finding, .branch, figure, tr, .power { break-inside: avoid; } h2, h3, h4 { break-after: avoid; } .hook { break-before: page; border: 0; padding: 0; }
  .guest, .source .guest { max-height: none; overflow: visible; white-space: pre-wrap; } .scroll { overflow: visible; } table { font-size: 9pt; } a { color: inherit; text-decoration: none; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; } .source { display: none; }
  * { print-color-adjust: exact; }
  .paper { display: block; break-inside: avoid; } .paper dl { display: grid; grid-template-columns: 1fr 1fr; gap: 26px 30px; } .paper dd { border-bottom: 1px solid var(--dim); height: 30px; } .paper dt { font-size: 9pt; color: var(--dim); }
}
@page { margin: 16mm 14mm; }
`;
