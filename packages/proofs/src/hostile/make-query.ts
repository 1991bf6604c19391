import type { Random } from '@stowage/testing/machine/random'
import type { Parameter } from './document.ts'
import { NAMES, TEXTS } from './hostile-values.ts'
import { writeJson } from './json.ts'
import { sample } from './sample.ts'

/** Query values as sent, encoded or not. */
const RAW_VALUES: readonly [string, ...string[]] = [
  '',
  '%',
  '%zz',
  '%00',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%u0041',
  '%250a',
  '%0d%0aX-Injected:%201',
  '+',
  '0',
  '-1',
  '1.5',
  '1e3',
  '0x1',
  'NaN',
  'Infinity',
  '99999999999999999999',
  '9007199254740993',
  'true',
  'TRUE',
  'null',
  'constructor',
  '__proto__',
  'a'.repeat(300),
  'a'.repeat(6_000),
  '%F0%9F%98%80'.repeat(200),
]

/** Each parameter is omitted, valid or hostile. Some queries have an additional defect. */
export function makeQuery(random: Random, parameters: Parameter[]): string {
  const pairs: string[] = []
  for (const parameter of parameters) {
    if (random.between(0, 3) > 0) continue
    pairs.push(`${parameter.name}=${makeValue(random, parameter)}`)
  }
  if (random.between(0, 6) === 0) pairs.push(queryDefect(random, parameters))
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

function makeValue(random: Random, { schema }: Parameter): string {
  if (random.between(0, 3) === 0) return random.pick(RAW_VALUES)
  const text = writeJson(sample(random, schema, {}))
  const value = text.startsWith('"') ? JSON.parse(text) : text
  return encodeURIComponent(String(value).toWellFormed())
}

function queryDefect(random: Random, parameters: Parameter[]): string {
  const name = parameters[random.between(0, parameters.length)]?.name ?? 'limit'
  const value = random.pick(RAW_VALUES)
  return random.pick([
    `${name}=1&${name}=2`,
    `${name}[]=1`,
    `${name}[a]=1`,
    `${name}[__proto__][a]=1`,
    `${encodeURIComponent(random.pick(NAMES))}=${value}`,
    `${encodeURIComponent(random.pick(TEXTS).toWellFormed())}=1`,
    `${name}`,
    `=${value}`,
    '&&&',
    '?',
    `${name}=1;${name}=2`,
    `${name}%00=1`,
    Array.from({ length: 1_000 }, (_, index) => `a${index}=1`).join('&'),
    Array.from({ length: 1_000 }, () => `${name}=1`).join('&'),
  ])
}
