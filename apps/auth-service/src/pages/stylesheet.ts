import { sha256 } from '../secrets.js';

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
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  display: grid;
  place-items: center;
  padding: 1rem;
  background: var(--ground);
  color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
main {
  width: 100%;
  max-width: 29rem;
  min-width: 0;
  padding: 1.75rem 1.5rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.9rem;
  overflow-wrap: anywhere;
}
main.wide { max-width: 48rem; }
.brand { display: flex; align-items: center; gap: 0.5rem; margin: 0 0 1.25rem; font-weight: 650; color: var(--soft); }
.brand img { width: 1.5rem; height: 1.5rem; }
h1 { margin: 0 0 0.75rem; font-size: 1.4rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
p { margin: 0 0 1rem; }
.soft { color: var(--soft); font-size: 0.925rem; }
.warn { padding: 0.65rem 0.85rem; border-radius: 0.5rem; background: var(--warn-ground); color: var(--warn); }
label { display: block; margin: 0 0 1rem; font-weight: 600; }
input {
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
ul { margin: 0 0 1.25rem; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 0.6rem; }
li { padding: 0.65rem 0.85rem; }
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
button.quiet { background: transparent; color: var(--brand); }
button.link { width: auto; padding: 0; border: 0; background: none; color: var(--brand); font-weight: 500; text-decoration: underline; }
.choice { display: grid; grid-template-columns: 1fr 1fr; gap: 0.75rem; }
.after { margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); }
.after p { display: inline; margin: 0 0.35rem 0 0; }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
`;

export const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6b4f"/><path d="M8 12h13l-3.5-3.5M24 20H11l3.5 3.5" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** Changes with the content, so that browsers may keep it for good. */
const version = (content: string) => sha256(content).toString('base64url').slice(0, 12);

export const STYLESHEET_PATH = `/v1/oauth/assets/settle.css?v=${version(STYLESHEET)}`;
export const LOGO_PATH = `/v1/oauth/assets/settle.svg?v=${version(LOGO)}`;
