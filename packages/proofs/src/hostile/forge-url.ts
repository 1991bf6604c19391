import type { Random } from '@stowage/testing/machine/random'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~%&=/?'

type Forgery = (random: Random, target: string) => string

const FORGERIES: readonly [Forgery, ...Forgery[]] = [
  // Repeated, because changing one character is the most useful forgery.
  changeOne,
  changeOne,
  changeOne,
  changeOne,
  (random, target) => target.slice(0, at(random, target)),
  (random, target) => splice(target, at(random, target), 1, ''),
  (random, target) => splice(target, at(random, target), 0, letter(random)),
  (random, target) => encodeOne(target, at(random, target)),
  (random, target) =>
    target.replace(/\d+/g, (number) => String(Number(number) + random.between(1, 9))),
  (_, target) => target.replace(/length=\d+/, 'length=0'),
  (_, target) => target.replace(/expires=\d+/, 'expires=99999999999'),
  (_, target) => target.replace(/signature=[^&]*/, 'signature='),
  (_, target) => target.replace(/&?signature=[^&]*/, ''),
  (_, target) =>
    target.replace(/signature=(.)/, (_all, first) => `signature=${first === 'A' ? 'B' : 'A'}`),
  (_, target) => `${target}&length=1`,
  (_, target) => `${target}&`,
  (_, target) => `${target}=`,
  (_, target) => `${target}&signature=${target.split('signature=')[1]}x`,
  (_, target) => target.replace('?', '?a=b&'),
  (_, target) => target.replace('?', '?/../x?'),
  (_, target) => target.replace('/', '/./'),
  (_, target) => `http://other.example${target}`,
  swapQuery,
]

/** A changed version of a signed target. */
export function forgeUrl(random: Random, target: string): string {
  const forged = random.pick(FORGERIES)(random, target)
  return forged === target || forged === '' ? changeOne(random, target) : forged
}

function changeOne(random: Random, target: string): string {
  const position = random.between(1, target.length)
  const old = target[position]
  const other = letter(random)
  return splice(target, position, 1, other === old ? (other === 'a' ? 'b' : 'a') : other)
}

function at(random: Random, target: string): number {
  return random.between(1, target.length)
}

function letter(random: Random): string {
  return LETTERS[random.between(0, LETTERS.length)] ?? 'a'
}

function splice(text: string, position: number, count: number, insert: string): string {
  return text.slice(0, position) + insert + text.slice(position + count)
}

function encodeOne(target: string, position: number): string {
  const code = target.charCodeAt(position).toString(16).padStart(2, '0')
  return splice(target, position, 1, `%${code}`)
}

function swapQuery(_: Random, target: string): string {
  const [path, query = ''] = target.split('?')
  return `${path}?${query.split('&').toReversed().join('&')}`
}
