import { sha256 } from '../secrets/secrets.js';

export const STYLESHEET = `:root {
  color-scheme: light dark;
  --ground: #f3f5f4;
  --card: #ffffff;
  --ink: #17211d;
  --soft: #55635d;
  --line: #d5dcd8;
  --brand: #0b6b4f;
  --brand-ink: #ffffff;
  --warn: #9b2c1c;
  --warn-ground: #fdeeea;
  --done: #0a5a42;
  --done-ground: #e3f3ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101614;
    --card: #18211e;
    --ink: #e8efec;
    --soft: #a3b2ac;
    --line: #35423d;
    --brand: #4fc79d;
    --brand-ink: #06251a;
    --warn: #ffb4a4;
    --warn-ground: #3a1f19;
    --done: #8fe0c1;
    --done-ground: #16352a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  overflow-wrap: anywhere;
}
a { color: var(--brand); text-underline-offset: 0.15em; }
.skip { position: absolute; left: -100vw; padding: 0.5rem 1rem; background: var(--card); }
.skip:focus { left: 0.5rem; top: 0.5rem; }
.top {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.25rem 1.25rem;
  padding: 0.75rem clamp(1rem, 4vw, 2rem);
  border-bottom: 1px solid var(--line);
  background: var(--card);
}
.brand { display: flex; align-items: center; gap: 0.5rem; padding: 0.25rem 0; color: inherit; font-weight: 650; text-decoration: none; }
.brand img { display: block; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
nav a { padding: 0.35rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent; }
nav a:hover { color: var(--ink); }
nav a[aria-current] { color: var(--ink); border-color: var(--brand); }
.top form { margin: 0 0 0 auto; }
main { min-width: 0; margin: clamp(1rem, 6vh, 4rem) auto 3rem; width: calc(100% - 2rem); }
main.card, main.wide > section, .panels > section {
  padding: 1.75rem clamp(1.1rem, 5vw, 1.75rem);
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.9rem;
}
main.card { max-width: 29rem; }
main.wide { max-width: 48rem; }
main.wide > section { margin-top: 1.25rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 1.25rem; }
section > form + form, section > form + p { margin-top: 1rem; }
section > :last-child, main.card > :last-child, form > :last-child { margin-bottom: 0; }
h1 { margin: 0 0 0.75rem; font-size: 1.4rem; line-height: 1.25; text-wrap: balance; }
main.wide > h1 { font-size: 1.75rem; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.05rem; }
section > h2:first-child { margin-top: 0; }
p { margin: 0 0 1rem; }
.lead { margin-bottom: 1.75rem; color: var(--soft); font-size: 1.1rem; }
code { font: 0.9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.soft { color: var(--soft); font-size: 0.925rem; }
.warn { padding: 0.65rem 0.85rem; border-radius: 0.5rem; background: var(--warn-ground); color: var(--warn); }
.done { padding: 0.65rem 0.85rem; border-radius: 0.5rem; background: var(--done-ground); color: var(--done); }
.field { margin: 0 0 1rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 10rem), 1fr)); gap: 0 0.9rem; }
label { display: block; font-weight: 600; }
label .soft { font-weight: 400; }
.hint { margin: 0; color: var(--soft); font-size: 0.875rem; }
.error { margin: 0.3rem 0 0; color: var(--warn); font-size: 0.925rem; }
input, select, textarea {
  display: block;
  width: 100%;
  margin-top: 0.3rem;
  padding: 0.7rem 0.8rem;
  border: 1px solid var(--soft);
  border-radius: 0.5rem;
  background: var(--card);
  color: inherit;
  font: inherit;
  font-weight: 400;
}
[aria-invalid] { border-color: var(--warn); border-width: 2px; }
.line { display: flex; flex-wrap: wrap; align-items: center; gap: 0.3rem 0.6rem; margin-top: 0.3rem; }
.line input { flex: 1 1 12rem; width: auto; min-width: 0; margin: 0; }
textarea { min-height: 5rem; resize: vertical; }
.code { font: 600 1.5rem/1.3 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: 0.3em; }
.choices { margin: 0 0 1rem; padding: 0; border: 0; }
.choices legend { padding: 0; font-weight: 600; }
.choices label { display: flex; align-items: center; gap: 0.6rem; padding: 0.35rem 0; font-weight: 400; }
.choices input { flex: none; width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--brand); }
ul { margin: 0 0 1.25rem; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 0.6rem; }
li { padding: 0.65rem 0.85rem; }
li.row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.35rem 1rem; }
li.row form { margin: 0 0 0 auto; }
li.row details { margin-left: auto; }
summary { color: var(--brand); font-weight: 500; cursor: pointer; }
.acts { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
.identity { display: flex; align-items: center; gap: 1rem; margin: 0 0 1.25rem; }
.identity img { flex: none; width: 4rem; height: 4rem; border-radius: 50%; }
.identity h1, .identity p { margin: 0; }
.tag { display: inline-block; padding: 0.05rem 0.55rem; border-radius: 1rem; background: var(--done-ground); color: var(--done); font-size: 0.85rem; font-weight: 500; }
.tag.open { background: var(--ground); color: var(--soft); }
li + li { border-top: 1px solid var(--line); }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.3rem 0.9rem; margin: 0 0 1.5rem; font-size: 0.925rem; }
dt { color: var(--soft); }
dd { margin: 0; }
pre {
  margin: 0 0 1rem;
  padding: 0.8rem 0.9rem;
  border: 1px solid var(--line);
  border-radius: 0.6rem;
  background: var(--ground);
  font: 0.85rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  white-space: pre-wrap;
  user-select: all;
}
button, .button {
  display: inline-block;
  width: 100%;
  padding: 0.75rem 1rem;
  border: 1px solid var(--brand);
  border-radius: 0.5rem;
  background: var(--brand);
  color: var(--brand-ink);
  font: inherit;
  font-weight: 650;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}
button.quiet, .button.quiet { background: transparent; color: var(--brand); }
button.link { width: auto; padding: 0; border: 0; background: none; color: var(--brand); font-weight: 500; text-decoration: underline; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
button.small { width: auto; padding: 0.4rem 0.8rem; font-size: 0.925rem; }
button.danger { border-color: var(--warn); background: transparent; color: var(--warn); }
.choice { display: grid; grid-template-columns: 1fr 1fr; gap: 0.75rem; }
.after { margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); }
.after p { display: inline; margin: 0 0.35rem 0 0; }
.text { white-space: pre-line; }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
`;

export const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6b4f"/><path d="M8 12h13l-3.5-3.5M24 20H11l3.5 3.5" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** Changes with the content, so that browsers can cache the file forever. */
const hashContent = (content: string) => sha256(content).toString('base64url').slice(0, 12);

export const STYLESHEET_PATH = `/v1/oauth/assets/settle.css?v=${hashContent(STYLESHEET)}`;
export const LOGO_PATH = `/v1/oauth/assets/settle.svg?v=${hashContent(LOGO)}`;
