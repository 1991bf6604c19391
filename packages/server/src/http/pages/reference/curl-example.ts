import type { Endpoint } from '@stowage/protocol'

export interface CurlOptions {
  baseUrl: string
  /** An open service needs no key. */
  isOpen: boolean
}

/** The call as a curl command. `:id` becomes `$ID`. */
export function curlExample(endpoint: Endpoint, { baseUrl, isOpen }: CurlOptions): string {
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
