import { readFileSync } from 'node:fs'

/** The module names in all import and export statements and dynamic imports of a file. */
export function importsOf(file: string): string[] {
  const matches = readFileSync(file, 'utf8').matchAll(/\b(?:from|import|import\()\s*'([^']+)'/g)
  return [...matches].map(([, name]) => name ?? '')
}
