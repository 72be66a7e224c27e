/** The look of the pages that the console renders itself. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5a6577; --line: #d9dee7; --paper: #ffffff; --tint: #f4f6fa; --accent: #2457d6; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf2; --soft: #9aa6b8; --line: #313b4b; --paper: #151a21; --tint: #1d2530; --accent: #86aaff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; margin: 0 0 .5rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; } h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
a { color: var(--accent); } p { margin: .5rem 0; } .soft { color: var(--soft); }
code, pre { font: .875rem/1.5 ui-monospace, monospace; } code { background: var(--tint); padding: .1rem .3rem; border-radius: .25rem; }
pre { background: var(--tint); padding: .75rem 1rem; border-radius: .4rem; overflow-x: auto; } pre code { padding: 0; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; } details > div { padding: 0 1rem 1rem; }
summary { cursor: pointer; padding: .6rem 1rem; } summary:focus-visible, a:focus-visible, input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; } th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; font-size: .85rem; }
.method { display: inline-block; min-width: 4.2rem; font: 600 .8rem/1.5 ui-monospace, monospace; color: var(--accent); }
nav ul { columns: 3 12rem; padding-left: 1.1rem; } form { display: grid; gap: .75rem; max-width: 24rem; margin-top: 1.5rem; }
input { font: inherit; padding: .5rem .6rem; border: 1px solid var(--line); border-radius: .35rem; background: var(--paper); color: var(--ink); }
button { font: inherit; padding: .5rem .9rem; border: 0; border-radius: .35rem; background: var(--accent); color: var(--paper); cursor: pointer; justify-self: start; }
.alert { border-left: 4px solid #c62828; padding: .4rem .8rem; background: var(--tint); }
`
