import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The module names in all import and export statements and dynamic imports of a file. */
export function importsOf(file: string): string[] {
  const matches = readFileSync(file, 'utf8').matchAll(/\b(?:from|import|import\()\s*'([^']+)'/g)
  return [...matches].map(([, name]) => name ?? '')
}

/** The root folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
