import type { Random } from '@stowage/testing/machine/random'
import { JSON_VALUES, NAMES, NOT_JSON, TEXTS } from './hostile-values.ts'
import { type Json, plain, raw } from './json.ts'

/** Changes one random node. */
export function mutateJson(random: Random, json: Json): Json {
  const target = random.between(0, countNodes(json))
  let index = -1
  function visit(node: Json): Json {
    index += 1
    if (index === target) return change(random, node)
    if (node.kind === 'list') return { kind: 'list', items: node.items.map(visit) }
    if (node.kind === 'object') {
      return { kind: 'object', members: node.members.map(([name, value]) => [name, visit(value)]) }
    }
    return node
  }
  return visit(json)
}

function countNodes(json: Json): number {
  if (json.kind === 'list') return 1 + sum(json.items.map(countNodes))
  if (json.kind === 'object') return 1 + sum(json.members.map(([, value]) => countNodes(value)))
  return 1
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function change(random: Random, node: Json): Json {
  const choice = random.between(0, 10)
  if (choice < 3 && node.kind === 'object') return changeMembers(random, node.members)
  if (choice < 3 && node.kind === 'list') return changeItems(random, node.items)
  if (choice < 6) return raw(random.pick(JSON_VALUES))
  if (choice === 6) return raw(random.pick(NOT_JSON))
  if (choice === 7) return { kind: 'list', items: [node] }
  if (choice === 8) return { kind: 'object', members: [[random.pick(NAMES), node]] }
  return plain(random.pick(TEXTS))
}

function changeMembers(random: Random, members: [string, Json][]): Json {
  const at = random.between(0, members.length + 1)
  const one = members[at]
  const extra: [string, Json] = [random.pick(NAMES), raw(random.pick(JSON_VALUES))]
  const changed = random.pick<[string, Json][]>([
    members.toSpliced(at, 1),
    [...members, extra],
    [extra, ...members],
    // A duplicate name: JavaScript uses the last one.
    [...members, ...(one ? [one] : [])],
    [...(one ? [[one[0], raw(random.pick(JSON_VALUES))] as [string, Json]] : []), ...members],
    one ? members.toSpliced(at, 1, [one[0].toUpperCase(), one[1]]) : members,
    [],
  ])
  return { kind: 'object', members: changed }
}

function changeItems(random: Random, items: Json[]): Json {
  const at = random.between(0, items.length + 1)
  const one = items[at]
  const copies = random.pick([2, 300, 1_001])
  const changed = random.pick<Json[]>([
    items.toSpliced(at, 1),
    [...items, raw(random.pick(JSON_VALUES))],
    one ? Array.from({ length: copies }, () => one) : [],
    items.toReversed(),
  ])
  return { kind: 'list', items: changed }
}
