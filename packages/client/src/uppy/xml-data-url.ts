type Node = string | number | { [name: string]: Node | Node[] }

/**
 * An address that answers with this XML, whatever is sent to it: Uppy speaks to an S3, and what that
 * S3 would have done is done by then. Browsers answer `data:` to every method, without any network.
 */
export function xmlAnswer(nodes: { [name: string]: Node }): string {
  return `data:application/xml,${encodeURIComponent(write(nodes))}`
}

function write(node: Node): string {
  if (typeof node !== 'object') return escaped(`${node}`)
  return Object.entries(node)
    .flatMap(([name, inner]) => [inner].flat().map((one) => `<${name}>${write(one)}</${name}>`))
    .join('')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
