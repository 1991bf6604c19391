type Node = string | number | { [name: string]: Node | Node[] }

/**
 * Returns a `data:` URL that responds with this XML. Uppy sends a request to the URL and expects a response of S3, but
 * `signRequest` has already performed the operation. Browsers respond to every method on a `data:` URL, without the
 * network.
 */
export function xmlDataUrl(nodes: { [name: string]: Node }): string {
  return `data:application/xml,${encodeURIComponent(write(nodes))}`
}

function write(node: Node): string {
  if (typeof node !== 'object') return escapeXml(`${node}`)
  return Object.entries(node)
    .flatMap(([name, inner]) => [inner].flat().map((one) => `<${name}>${write(one)}</${name}>`))
    .join('')
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
