import { ENDPOINTS, ERRORS, introduction, TAGS } from '@stowage/protocol'
import { type Html, html } from '../html.ts'
import type { CurlOptions } from './curl-example.ts'
import { anchorOf, inline, markdown } from './markdown.ts'
import { operation } from './operation.ts'

export interface ReferenceOptions extends CurlOptions {
  version: string
  /** Changes with the style and the script, so that browsers never mix versions. */
  assetVersion: string
  /** The icon is part of the built dashboard. */
  hasDashboard: boolean
}

/** The API reference as one page. It works without its script and loads nothing from other hosts. */
export function renderReference(options: ReferenceOptions): string {
  const { baseUrl, version, assetVersion, hasDashboard } = options
  const text = introduction(baseUrl)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference - Stowage</title>
${hasDashboard ? html`<link rel="icon" href="/icon.svg" type="image/svg+xml">` : undefined}
<link rel="stylesheet" href="/docs/reference.css?v=${assetVersion}">
<script src="/docs/reference.js?v=${assetVersion}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<p class="brand">Stowage <span>API reference</span></p>
<nav aria-label="Elsewhere"><a href="/openapi.json">OpenAPI</a> <a href="/">Dashboard</a></nav>
</header>
<div class="columns">
<nav class="contents" aria-label="Contents">
<details id="menu" open><summary>Contents</summary>
${filter()}
${contents(text)}
</details>
</nav>
<main id="content" tabindex="-1">
<section class="introduction">
<h1>API reference</h1>
<p class="note">Version ${version} · Base URL <code>${baseUrl}/api/v1</code></p>
${markdown(text)}
</section>
${Object.entries(TAGS).map(([tag, description]) => group(tag, description, options))}
${errorCatalog()}
</main>
</div>
</body>
</html>
`.markup
}

function filter(): Html {
  return html`<p class="filter" hidden><label for="filter">Filter calls</label>
<input id="filter" type="search" autocomplete="off" spellcheck="false" placeholder="upload, PUT, sku …">
<span id="found" role="status"></span></p>`
}

function contents(text: string): Html {
  const titles = [...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title)
  const sections = titles.map((title) => html`<li><a href="#${anchorOf(title)}">${title}</a></li>`)
  const groups = Object.keys(TAGS).map(
    (tag) =>
      html`<div class="group"><p><a href="#${anchorOf(tag)}-calls">${tag}</a></p><ul>${links(tag)}</ul></div>`,
  )
  return html`<ul>${sections}</ul>${groups}<ul><li><a href="#error-codes">Error codes</a></li></ul>`
}

function links(tag: string): Html[] {
  return ENDPOINTS.filter((endpoint) => endpoint.tag === tag).map(
    ({ operationId, summary }) =>
      html`<li data-for="${operationId}"><a href="#${operationId}">${summary}</a></li>`,
  )
}

function group(tag: string, description: string, options: CurlOptions): Html {
  const endpoints = ENDPOINTS.filter((endpoint) => endpoint.tag === tag)
  return html`
<section class="group">
<h2 id="${anchorOf(tag)}-calls">${tag}</h2>
<p>${inline(description)}</p>
${endpoints.map((endpoint) => operation(endpoint, options))}
</section>`
}

function errorCatalog(): Html {
  const entries = Object.entries(ERRORS).map(
    ([code, { status, when, remedy }]) =>
      html`<dt id="error-${code}">${status} <code>${code}</code></dt><dd>${inline(when)} ${inline(remedy)}</dd>`,
  )
  return html`
<section>
<h2 id="error-codes">Error codes</h2>
<p>Errors whose description begins with “Storage:” are returned by the URLs of parts and downloads, not by the API.</p>
<dl class="fields">${entries}</dl>
</section>`
}
