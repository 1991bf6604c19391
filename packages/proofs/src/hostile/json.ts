/**
 * A JSON document that may be invalid: leaves are raw text, and members may have the same name.
 */
export type Json =
  | { kind: 'raw'; text: string }
  | { kind: 'list'; items: Json[] }
  | { kind: 'object'; members: [string, Json][] }

export function raw(text: string): Json {
  return { kind: 'raw', text }
}

/** Converts a JavaScript value. */
export function plain(value: unknown): Json {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(plain) }
  if (typeof value === 'object' && value !== null) {
    return {
      kind: 'object',
      members: Object.entries(value).map(([name, one]) => [name, plain(one)]),
    }
  }
  return raw(JSON.stringify(value))
}

export function writeJson(json: Json): string {
  if (json.kind === 'raw') return json.text
  if (json.kind === 'list') return `[${json.items.map(writeJson).join(',')}]`
  return `{${json.members.map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`).join(',')}}`
}
