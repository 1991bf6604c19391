import { type Endpoint, ERRORS, errorsOf } from '@stowage/protocol'
import { type Html, html } from '../html.ts'
import { type CurlOptions, curlExample } from './curl-example.ts'
import { fields } from './fields.ts'
import { codeBlock, inline } from './markdown.ts'

/** One call, collapsed until the reader opens it or follows a link to it. */
export function operation(endpoint: Endpoint, options: CurlOptions): Html {
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
