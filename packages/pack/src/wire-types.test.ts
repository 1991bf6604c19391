import assert from 'node:assert/strict'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { ROOT, runTsc } from './staging.ts'
import { wireTypes } from './wire-types.ts'

/** Fails to compile if two types differ, including optional members. */
const SAME = `
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Flat<T> = T extends object ? { [Name in keyof T]: Flat<T[Name]> } : T
export const same = <A, B>(..._verdict: Same<Flat<A>, Flat<B>> extends true ? [] : [never]) => {}
`

test('the generated types equal those that TypeBox derives from the schemas', async (t) => {
  const folder = await aFolder(t)
  const wire = wireTypes(await typesUsedByClient())
  await writeFile(join(folder, 'wire.d.ts'), wire)
  await writeFile(join(folder, 'same.ts'), SAME)
  const all = [...wire.matchAll(/^export type (\w+)/gm)].map(([, name]) => name)
  assert.ok(all.length > 10 && all.includes('PageLinks'), 'referenced types are missing')
  const claims = all.map((name) => `same<generated.${name}, protocol.${name}>()`)
  const imports = `import type * as protocol from '@stowage/protocol'
import { same } from './same.ts'
import type * as generated from './wire.d.ts'
`
  await writeFile(join(folder, 'claims.ts'), `${imports}${claims.join('\n')}\n`)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings(folder)))
  await runTsc(['--project', folder], ROOT)
})

async function typesUsedByClient(): Promise<string[]> {
  const names: string[] = []
  for await (const file of glob('packages/client/src/**/*.ts', { cwd: ROOT })) {
    const text = await readFile(join(ROOT, file), 'utf8')
    const [, list = ''] = /\{([^}]*)\} from '@stowage\/protocol'/.exec(text) ?? []
    names.push(...list.split(',').flatMap((name) => name.trim() || []))
  }
  return names
}

function settings(folder: string) {
  return {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      types: [],
      paths: { '@stowage/protocol': [join(ROOT, 'packages/protocol/src/index.ts')] },
    },
    include: [],
    files: [join(folder, 'claims.ts')],
  }
}

test('a type without a schema is refused', () => {
  assert.throws(() => wireTypes(['Nonsense']), /no schema Nonsense/)
})
