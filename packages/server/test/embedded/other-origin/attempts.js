// The ways in which a web page can try to access another origin. Runs in the browser. The test calls
// `window.attempt`, which returns the outcome of each attempt.

const JSON_TYPE = { 'Content-Type': 'application/json' }
const JSON_BLOB = { type: 'application/json' }
const LINK = '{"filename":"planted","url":"https://evil.example/"}'

/** The part of the response that the page can read. */
async function tryFetch(url, options) {
  try {
    const response = await fetch(url, options)
    if (response.type === 'opaque') return 'unreadable'
    return `read ${response.status}: ${await response.text()}`
  } catch {
    return 'refused'
  }
}

/** Whether an element can load the URL. */
function tryElement(name, attribute, url, more = {}) {
  return new Promise((resolve) => {
    const element = Object.assign(document.createElement(name), more)
    element.onload = () => resolve('loaded')
    element.onerror = () => resolve('refused')
    element[attribute] = url
    document.body.append(element)
  })
}

/** A new frame that reports when it has loaded, and whether the page can read its content. */
function aFrame(name) {
  const frame = document.createElement('iframe')
  frame.name = name
  document.body.append(frame)
  const filled = new Promise((resolve) => {
    frame.onload = () => resolve(isReadable(frame) ? 'read the frame' : 'unreadable')
  })
  return { frame, filled }
}

function isReadable(frame) {
  try {
    return frame.contentWindow.location.href !== 'about:blank'
  } catch {
    return false
  }
}

function tryFrame(name, url) {
  const { frame, filled } = aFrame(name)
  frame.src = url
  return filled
}

/** A form that is submitted into a frame without user interaction. */
function tryForm(name, { action, method, enctype, fields }) {
  const { filled } = aFrame(name)
  const form = Object.assign(document.createElement('form'), { action, method, enctype })
  form.target = name
  for (const [field, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement('input'), { name: field, value }))
  }
  document.body.append(form)
  form.submit()
  return filled
}

function tryEvents(url) {
  return new Promise((resolve) => {
    const source = new EventSource(url)
    const end = (outcome) => {
      source.close()
      resolve(outcome)
    }
    source.onmessage = ({ data }) => end(`read: ${data}`)
    source.onerror = () => end('refused')
  })
}

function trySocket(url) {
  return new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws'))
    socket.onopen = () => resolve('connected')
    socket.onerror = () => resolve('refused')
  })
}

/** Sends the request from a frame whose origin is "null". */
function tryWithoutOrigin(url) {
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts'
  frame.srcdoc = `<script>
    fetch(${JSON.stringify(url)})
      .then((response) => response.text())
      .then((text) => parent.postMessage('read: ' + text, '*'))
      .catch(() => parent.postMessage('refused', '*'))
  </script>`
  const outcome = new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data), { once: true })
  })
  document.body.append(frame)
  return outcome
}

const through = (url) => `/redirect?to=${encodeURIComponent(url)}`

/** Runs all attempts one after another and returns their outcomes by name. */
window.attempt = async (target, { asset, product, key }) => {
  const api = `${target}/api/v1`
  const store = `${api}/assets/store`
  const plain = (body) => ({ method: 'POST', mode: 'no-cors', body })
  const form = (enctype, fields) => ({ action: store, method: 'post', enctype, fields })
  // With text/plain, "name=value" forms one JSON object.
  const asText = { [`${LINK.slice(0, -1)},"x":"`]: '"}' }
  const fields = { filename: 'planted', url: 'https://evil.example/' }
  const attempts = {
    'a beacon': async () => (navigator.sendBeacon(store, LINK) ? 'unreadable' : 'not sent'),
    'a beacon as JSON': async () =>
      navigator.sendBeacon(store, new Blob([LINK], JSON_BLOB)) ? 'unreadable' : 'not sent',
    'fetch GET': () => tryFetch(`${api}/assets`),
    'fetch GET with cookies': () => tryFetch(`${api}/account`, { credentials: 'include' }),
    'fetch GET a download': () => tryFetch(`${api}/assets/${asset}/download`),
    'fetch GET by way of a redirect': () => tryFetch(through(`${api}/assets`)),
    'fetch GET without an origin': () => tryWithoutOrigin(`${api}/assets`),
    'fetch POST JSON': () => tryFetch(store, { method: 'POST', headers: JSON_TYPE, body: LINK }),
    'fetch PUT JSON': () =>
      tryFetch(`${api}/assets/${asset}`, {
        method: 'PUT',
        headers: JSON_TYPE,
        body: '{"filename":"planted"}',
      }),
    'fetch DELETE an asset': () => tryFetch(`${api}/assets/${asset}`, { method: 'DELETE' }),
    'fetch DELETE a product': () => tryFetch(`${api}/products/${product}`, { method: 'DELETE' }),
    'fetch DELETE a key': () => tryFetch(`${api}/keys/${key}`, { method: 'DELETE' }),
    'fetch POST as text': () => tryFetch(store, { method: 'POST', body: LINK }),
    'no-cors GET': () => tryFetch(`${api}/assets`, { mode: 'no-cors' }),
    'no-cors POST as text': () => tryFetch(store, plain(LINK)),
    'no-cors POST as JSON': () => tryFetch(store, plain(new Blob([LINK], JSON_BLOB))),
    'no-cors POST of a form': () => tryFetch(store, plain(new URLSearchParams(fields))),
    'no-cors POST of a key': () => tryFetch(`${api}/keys`, plain('{"name":"a","scope":"manage"}')),
    'a form, urlencoded': () =>
      tryForm('form-1', form('application/x-www-form-urlencoded', fields)),
    'a form, as text': () => tryForm('form-2', form('text/plain', asText)),
    'a form, multipart': () => tryForm('form-3', form('multipart/form-data', fields)),
    'a form, GET': () =>
      tryForm('form-4', { action: `${api}/assets`, method: 'get', fields: { limit: '5' } }),
    'an image': () => tryElement('img', 'src', `${api}/assets/${asset}/download`),
    'an image by way of a redirect': () => tryElement('img', 'src', through(`${api}/assets`)),
    'a script': () => tryElement('script', 'src', `${target}/docs/reference.js`),
    'a script of data': () => tryElement('script', 'src', `${api}/assets?callback=x`),
    'a style': () =>
      tryElement('link', 'href', `${target}/docs/reference.css`, { rel: 'stylesheet' }),
    'a frame of data': () => tryFrame('frame-1', `${api}/assets`),
    'a frame of a page': () => tryFrame('frame-2', `${target}/docs`),
    'a stream of events': () => tryEvents(`${api}/assets`),
    'a socket': () => trySocket(`${api}/assets`),
  }
  const outcomes = {}
  for (const [name, attempt] of Object.entries(attempts)) outcomes[name] = await attempt()
  return outcomes
}
