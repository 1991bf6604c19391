import { createHash } from 'node:crypto'
import type { ErrorCode } from '@stowage/protocol'
import { html } from '../../text/html.ts'

interface ErrorPage {
  code: ErrorCode
  status: number
  /** What happened, and what to do. */
  message: string
}

const STYLE = `
:root {
  color-scheme: light dark;
  font:
    16px / 1.55 system-ui,
    sans-serif;
  background: light-dark(#fff, #1f1f1f);
  color: light-dark(#1c2327, #dcdcdc);
}
body {
  max-width: 34rem;
  margin: 18vh auto 0;
  padding: 0 1.5rem 3rem;
  overflow-wrap: anywhere;
}
.brand {
  font-weight: 700;
}
h1 {
  margin: 0.5rem 0;
  font-size: 1.75rem;
}
nav {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1.5rem;
  margin-top: 1.5rem;
}
a {
  display: inline-block;
  padding-block: 0.6rem;
  color: light-dark(#0b7285, #66d9e8);
}
:focus-visible {
  outline: 2px solid;
  outline-offset: 2px;
}
.note {
  color: light-dark(#4c585f, #b4b4b4);
  font-size: 0.9rem;
}
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Allows the style and the icon, and nothing else. */
export const ERROR_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const TITLES: Partial<Record<ErrorCode, string>> = {
  not_found: 'Page not found',
  forbidden: 'Not allowed',
  malformed_request: 'Invalid URL',
}

/** The page that a browser shows for an error. It has no script and loads only the icon. */
export function renderErrorPage({ code, status, message }: ErrorPage): string {
  const title = TITLES[code] ?? 'Could not open this page'
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - Stowage</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<style>${{ markup: STYLE }}</style>
</head>
<body>
<main>
<p class="brand">Stowage</p>
<h1>${title}</h1>
<p>${message}</p>
<nav aria-label="Pages"><a href="/">Go to the dashboard</a> <a href="/docs">API reference</a></nav>
<p class="note">HTTP ${status}</p>
</main>
</body>
</html>
`.markup
}
