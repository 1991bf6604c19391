import { ENDPOINTS, type Endpoint, ERRORS, errorsOf, introduction, TAGS } from '@stowage/protocol'
import type { TSchema } from 'typebox'
import { type Html, html } from '../../../text/html.ts'
import { anchorOf, codeBlock, inline, markdown } from './markdown.ts'

interface ReferenceOptions extends CurlOptions {
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

/** One call, collapsed until the reader opens it or follows a link to it. */
function operation(endpoint: Endpoint, options: CurlOptions): Html {
  const { operationId, path, summary, description, scope } = endpoint
  const { params, query, headers, body } = endpoint
  const orToken = endpoint.allowsUploadTokens ? ', or an upload token' : ''
  return html`
<details class="operation" id="${operationId}">
<summary><h3>${methods(endpoint)} <code class="path">${path}</code> <span class="title">${summary}</span></h3></summary>
<div class="inside">
<p>${inline(description)}</p>
<p class="note">${scope === 'public' ? 'Requires no key.' : html`Requires a key with the scope <code>${scope}</code>${orToken}.`}
<a href="#${operationId}">Link to this call</a></p>
${codeBlock(curlExample(endpoint, options))}
${section('Path parameters', fields(params))}
${section('Query parameters', fields(query))}
${section('Headers', fields(headers))}
${section('Request body', fields(body))}
${response(endpoint)}
${errors(endpoint)}
</div>
</details>`
}

function methods(endpoint: Endpoint): Html {
  const badges = endpoint.methods.map(
    (method) => html`<span class="method ${method.toLowerCase()}">${method}</span> `,
  )
  return html`${badges}`
}

function section(title: string, content: Html | undefined): Html | undefined {
  return content && html`<h4>${title}</h4>${content}`
}

function response({ success, failure }: Endpoint): Html {
  const responses = [success, ...(failure ? [failure] : [])]
  const sections = responses.map(({ status, description, schema, example }) => {
    const list = fields(schema)
    return html`<h4>Response ${status}</h4><p>${inline(description)}.</p>
${example === undefined ? undefined : codeBlock(JSON.stringify(example, null, 2))}
${list && html`<details class="more"><summary>Fields of the response</summary>${list}</details>`}`
  })
  return html`${sections}`
}

function errors(endpoint: Endpoint): Html {
  const items = errorsOf(endpoint).map(
    (code) =>
      html`<li>${ERRORS[code].status} <a href="#error-${code}"><code>${code}</code></a> ${inline(ERRORS[code].when)}</li>`,
  )
  return html`<h4>Errors</h4><ul class="errors">${items}</ul>`
}

/** The keywords of a schema that the page shows. */
interface Schema {
  type?: string | string[]
  format?: string
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}

interface Field {
  /** With `.` and `[]` for nested fields: `urls[].start`. */
  name: string
  schema: Schema
  isRequired: boolean
}

/** The fields of an object and of all nested objects, as a list of definitions. */
function fields(schema: TSchema | undefined): Html | undefined {
  const found = schema === undefined ? [] : fieldsOf(schema as Schema, '')
  if (found.length === 0) return undefined
  return html`<dl class="fields">${found.map(definition)}</dl>`
}

function fieldsOf(schema: Schema, prefix: string): Field[] {
  const { properties = {}, required = [], items } = schema
  if (items) return fieldsOf(items, `${prefix}[]`)
  return Object.entries(properties).flatMap(([key, member]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`
    const field = { name, schema: member, isRequired: required.includes(key) }
    return [field, ...fieldsOf(member, name)]
  })
}

function definition({ name, schema, isRequired }: Field): Html {
  const text = [schema.description, limitsOf(schema)].filter(Boolean).join('. ')
  const sentence = text === '' ? '' : `${text}.`
  return html`<dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${isRequired ? undefined : html` <span class="type">optional</span>`}</dt><dd>${inline(sentence)}</dd>`
}

function typeOf(schema: Schema): string {
  if (schema.anyOf && !schema.type) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.items) return `array of ${typeOf(schema.items)}s`
  const types = [schema.type ?? 'any'].flat()
  const named = types.map((type) => (type === 'string' && schema.format) || type)
  return named.join(' or ')
}

function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema
  return [
    schema.enum && `One of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`,
    range('', minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum),
    range(' characters', minLength || undefined, maxLength),
    range(' items', undefined, maxItems),
    schema.default !== undefined && `Default \`${schema.default}\``,
  ]
    .filter(Boolean)
    .join('. ')
}

function range(unit: string, from: number | undefined, to: number | undefined): string | undefined {
  if (from !== undefined && to !== undefined) return `${from} to ${to}${unit}`
  if (from !== undefined) return `At least ${from}${unit}`
  return to === undefined ? undefined : `At most ${to}${unit}`
}

interface CurlOptions {
  baseUrl: string
  /** An open service needs no key. */
  isOpen: boolean
}

/** The call as a curl command. `:id` becomes `$ID`. */
function curlExample(endpoint: Endpoint, { baseUrl, isOpen }: CurlOptions): string {
  const { methods, path, scope, body, bodyExample, success } = endpoint
  const [method] = methods
  const url = `"${baseUrl}${path.replaceAll(/:(\w+)/g, (_, name) => `$${name.toUpperCase()}`)}"`
  // curl’s default is GET, or POST if there is data.
  const isImplied = method === (body ? 'POST' : 'GET')
  // `-L -OJ` follows the redirect and saves the file under its own name.
  const isDownload = success.status === 302
  const first = ['curl', isImplied ? '' : `-X ${method}`, isDownload ? '-L -OJ' : '', url]
  const rest = [
    scope !== 'public' && !isOpen && '-H "Authorization: Bearer $STOWAGE_API_KEY"',
    body && "-H 'Content-Type: application/json'",
    body && `-d ${quote(JSON.stringify(bodyExample))}`,
  ]
  return [first.filter(Boolean).join(' '), ...rest.filter(Boolean)].join(' \\\n  ')
}

/** Quotes text as one shell word. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
