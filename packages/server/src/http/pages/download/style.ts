import { readableOn } from '../../../text/readable-on.ts'

/** The color of the buttons, unless the merchant has another one. */
const DEFAULT_COLOR = '#0b7285'

/** The style of the page with the merchant’s color. */
export function styleOf(color: string | null): string {
  const accent = color ?? DEFAULT_COLOR
  return `:root{--accent:${accent};--on-accent:${readableOn(accent)}}${STYLE}`
}

const STYLE = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif;background:light-dark(#f6f7f8,#17191b);color:light-dark(#1c2327,#e3e6e8)}
*{box-sizing:border-box}
body{max-width:46rem;margin:0 auto;padding:2rem 1rem 3rem;overflow-wrap:anywhere}
header{display:flex;align-items:center;gap:.75rem;margin-block-end:1.5rem;font-weight:600}
header img{max-width:12rem;max-height:3rem}
h1{margin:0;font-size:1.75rem;line-height:1.2}
h2{margin:2rem 0 .5rem;font-size:1.1rem;break-after:avoid}
p{margin:.5rem 0}
.quiet{color:light-dark(#4c585f,#aab3b9);font-size:.9rem}
ul{list-style:none;margin:0;padding:0}
ul+ul{margin-block-start:2rem}
.icons+ul{margin-block-start:1rem}
.card,li{background:light-dark(#fff,#212427);border:1px solid light-dark(#dde1e4,#363b40);border-radius:.6rem}
.card{padding:1.5rem}
li{display:grid;grid-template-columns:2.75rem 1fr auto;gap:.25rem .9rem;align-items:center;padding:.8rem 1rem;margin-block-end:.5rem}
li svg,li img{width:2.75rem;height:2.75rem;padding:.25rem}
li img{padding:0;border-radius:.35rem;object-fit:cover}
li svg{fill:none;stroke:light-dark(#5c6870,#9aa5ac);stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.icons{position:absolute;width:0;height:0}
li b{font-weight:600}
li form{margin:0}
.act{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;justify-content:end;max-width:20rem}
li audio,li video{grid-column:1/-1;width:100%;margin-block-start:.4rem;max-height:22rem;border-radius:.4rem}
button,.button{display:inline-block;min-height:2.75rem;padding:.55rem 1.1rem;border:1px solid light-dark(#0003,#fff4);border-radius:.5rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;text-align:center;text-decoration:none;overflow-wrap:normal;cursor:pointer}
.second{background:none;color:inherit;border-color:light-dark(#5c6870,#9aa5ac)}
input{font:inherit;width:100%;max-width:26rem;min-height:2.75rem;padding:.55rem .75rem;border:1px solid light-dark(#5c6870,#9aa5ac);border-radius:.5rem;background:light-dark(#fff,#17191b);color:inherit}
button:hover,.button:hover{filter:brightness(1.1)}
:focus-visible{outline:3px solid light-dark(#0b57d0,#a8c7fa);outline-offset:2px}
a{color:inherit}
nav{display:flex;align-items:center;justify-content:space-between;gap:1rem;margin-block-start:1rem}
nav a{padding:.6rem 0}
footer{margin-block-start:2.5rem;padding-block-start:1rem;border-block-start:1px solid light-dark(#dde1e4,#363b40)}
footer p{white-space:pre-line}
@media(max-width:34rem){li{grid-template-columns:2.75rem 1fr;row-gap:.6rem}.act{grid-column:1/-1;max-width:none;justify-content:start}.act form,.act a{flex:1 0 40%}li button{width:100%}}
@media print{:root{color-scheme:light;background:#fff;color:#000}body{padding:0}li{break-inside:avoid}form,nav a,audio,video,.second{display:none!important}}
@media(prefers-contrast:more){.quiet{color:inherit}}`
