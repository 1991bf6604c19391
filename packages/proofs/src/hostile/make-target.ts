import type { Random } from '@stowage/testing/machine/random'
import { TEXTS } from './hostile-values.ts'

type Change = (random: Random, path: string, host: string) => string

const CHANGES: readonly [Change, ...Change[]] = [
  (_, path) => path.replace('/', '/../'),
  (_, path) => `${path}/../../../../etc/passwd`,
  (_, path) => `${path}/%2e%2e/%2e%2e`,
  (_, path) => `${path}%2f..%2f..`,
  (_, path) => `${path}%252e%252e%252f`,
  (_, path) => `${path}%00`,
  (_, path) => `${path}/%00/`,
  (_, path) => `${path}%`,
  (_, path) => `${path}%ff%fe`,
  (_, path) => `${path}%c0%ae`,
  (_, path) => `${path}%0d%0aX-Injected:%201`,
  (_, path) => `/${path}`,
  (_, path) => path.replaceAll('/', '//'),
  (_, path) => `/${path.slice(1).replaceAll('/', '\\')}`,
  (_, path) => `${path}/`,
  (_, path) => `${path};a=b`,
  (_, path) => `${path}#fragment`,
  (_, path) => `${path}?#?`,
  (_, path) => path.toUpperCase(),
  (_, path) => path.replace(/[0-9a-f-]{36}/, '../account'),
  (_, path) => path.replace(/[0-9a-f-]{36}/, '__proto__'),
  (_, path) => path.replace(/[0-9a-f-]{36}/, '%2e%2e'),
  (random, path) =>
    path.replace(/[0-9a-f-]{36}/, encodeURIComponent(random.pick(TEXTS).toWellFormed())),
  (_, path) => path.replace(/[^/](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (_, path, host) => `http://${host}${path}`,
  (_, path) => `http://other.example${path}`,
  (_, path) => `https://user@other.example:99999${path}`,
  () => '*',
  () => '//',
  () => '/',
  (_, path) => `${path}/${'a'.repeat(4_000)}`,
  (_, path) => `${path}/${'a/'.repeat(2_000)}`,
  (_, path) => `${path}/${'%61'.repeat(2_000)}`,
]

/** A request target that resembles the path, or replaces it. */
export function hostileTarget(random: Random, path: string, host: string): string {
  return random.pick(CHANGES)(random, path, host)
}
