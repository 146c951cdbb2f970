/** Contrast of at least 4.5 to 1 for text, and 3 to 1 for the borders of fields, in light and dark (WCAG 2.2, 1.4.3 and 1.4.11). */
export const style = `
:root{color-scheme:light dark;--text:#1c2430;--dim:#4d5868;--page:#f3f5f8;--card:#fff;--line:#d8dee7;--edge:#737e8f;--key:#1f5fbf;--on-key:#fff;--bad:#b3261e;--bad-page:#fdf1f0}
@media(prefers-color-scheme:dark){:root{--text:#e8ecf2;--dim:#aab4c3;--page:#12161c;--card:#1b2129;--line:#333c48;--edge:#8591a3;--key:#8ab8ff;--on-key:#0d1a2e;--bad:#ff9d94;--bad-page:#2c1a1a}}
*{box-sizing:border-box}
body{margin:0;padding:2rem 1rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:40rem;margin:0 auto;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}
h2,h3,h4,h5,h6{margin:1.5rem 0 .5rem;font-size:1.1rem;line-height:1.3}
p,ul,ol,table,blockquote,pre{margin:0 0 1rem}
blockquote{padding-left:1rem;border-left:3px solid var(--line);margin-left:0}
pre{padding:.75rem;background:var(--page);border-radius:.4rem;white-space:pre-wrap}
code{font-size:.9em}
table{border-collapse:collapse}
th,td{padding:.3rem .75rem;border:1px solid var(--line);text-align:left}
a{color:var(--key)}
.dim,.hint{color:var(--dim)}
.dim{font-size:.9rem}
.hint{display:block;font-size:.9rem}
.field{margin:0 0 1.25rem;padding:0;border:0;min-width:0}
label,legend{display:block;padding:0;font-weight:600}
.wrong{padding-left:.9rem;border-left:4px solid var(--bad)}
.error{display:block;color:var(--bad);font-weight:600}
.summary{margin:0 0 1.5rem;padding:1rem 1.25rem;border:2px solid var(--bad);border-radius:.5rem;background:var(--bad-page)}
.summary h2{margin:0 0 .5rem}
.summary ul{margin:0;padding-left:1.25rem}
.summary a{color:var(--bad)}
input,select,textarea{width:100%;margin-top:.3rem;padding:.55rem .7rem;border:1px solid var(--edge);border-radius:.4rem;background:var(--card);color:inherit;font:inherit}
textarea{min-height:7rem;resize:vertical}
.tick{display:flex;gap:.6rem;align-items:center;margin-top:.3rem;font-weight:400}
.tick input{flex:none;width:1.5rem;height:1.5rem;margin:0}
.note{color:var(--dim);font-weight:400}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.75rem}
button{padding:.65rem 1.5rem;border:2px solid var(--key);border-radius:.4rem;background:var(--key);color:var(--on-key);font:inherit;font-weight:600;cursor:pointer}
button.other{background:none;color:var(--key)}
:focus-visible{outline:3px solid var(--key);outline-offset:2px}
[hidden]{display:none}
`;
