/** The look of the HTML report: system fonts, both colour schemes, and paper. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--ink:#1c2024;--soft:#60646c;--line:#d9dce1;--bg:#fff;--shade:#fff3d6;--bad:#c62a2f;--warn:#ad5700}
@media (prefers-color-scheme:dark){:root{--ink:#edeef0;--soft:#a1a6ae;--line:#363a3f;--bg:#18191b;--shade:#3b2f12;--bad:#ff9592;--warn:#ffb86b}}
body{font:15px/1.5 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;color:var(--ink);background:var(--bg);max-width:52rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:0}
.soft{color:var(--soft)}.verdict{border-left:3px solid var(--line);padding-left:1rem;margin:1.2rem 0;break-inside:avoid}
.critical{border-color:var(--bad)}.critical h3{color:var(--bad)}.warning{border-color:var(--warn)}
.state{font-weight:400;color:var(--soft)}ul{margin:.4rem 0;padding-left:1.2rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}td,th{text-align:left;padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--line);font-weight:400}th{color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.6rem 0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}pre{font-size:12px;white-space:pre-wrap;overflow-wrap:anywhere;background:color-mix(in srgb,var(--line) 35%,transparent);padding:.5rem;margin:.3rem 0}
figure{margin:.6rem 0}figcaption{font-size:.85rem;color:var(--soft)}svg{width:100%;height:auto;display:block}svg text{font-size:11px;fill:var(--soft)}
.shade{fill:var(--shade)}.grid{stroke:var(--line)}.mark{stroke:var(--bad);stroke-dasharray:3 2}.line{fill:none;stroke-width:1.2;stroke:currentColor}
.key::before{content:"— ";font-weight:700}
.c0{color:#0b68cb}.c1{color:#d6521b}.c2{color:#2b8a3e}.c3{color:#9c36b5}.c4{color:#b58300}.c5{color:#0c8599}.c6{color:#a61e4d}.c7{color:#5c6370}
@media print{body{margin:0;max-width:none;font-size:11px}h2{break-after:avoid}}
`.trim();
