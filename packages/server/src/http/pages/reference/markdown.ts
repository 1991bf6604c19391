import { type Html, html } from '../../../text/html.ts'

/**
 * Renders the Markdown that the protocol’s texts use: paragraphs, `## ` headings, lists, fenced code and
 * `code`. Any other syntax is shown literally.
 */
export function markdown(text: string): Html {
  // Fenced code may contain empty lines, so split it off first.
  const blocks = text.split(/^```\w*\n([\s\S]*?)^```$/m)
  return html`${blocks.map((block, index) => (index % 2 === 1 ? codeBlock(block) : prose(block)))}`
}

/** Text with `code` in it. */
export function inline(text: string): Html {
  const pieces = text.split(/`([^`]+)`/)
  return html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))}`
}

/** Code with a copy button, which the page’s script shows if the browser can copy. */
export function codeBlock(code: string): Html {
  return html`<div class="code"><pre><code>${code.trimEnd()}</code></pre><button type="button" class="copy" hidden>Copy</button></div>`
}

/** `Idempotency and retries` becomes `idempotency-and-retries`. */
export function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(/\W+/g, '-')
}

function prose(text: string): Html {
  const blocks = text.split(/\n{2,}/).map((block) => block.trim())
  return html`${blocks.filter((block) => block !== '').map(paragraph)}`
}

function paragraph(block: string): Html {
  const title = /^## (.*)$/.exec(block)?.[1]
  if (title !== undefined) return html`<h2 id="${anchorOf(title)}">${title}</h2>`
  if (/^- /.test(block)) return html`<ul>${items(block, /^- /m)}</ul>`
  if (/^1\. /.test(block)) return html`<ol>${items(block, /^\d+\. /m)}</ol>`
  return html`<p>${inline(block)}</p>`
}

function items(block: string, mark: RegExp): Html[] {
  const texts = block.split(mark).filter((text) => text !== '')
  return texts.map((text) => html`<li>${inline(text.trim())}</li>`)
}
