import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/*
 * npm run soak -- --minutes 30 [--engines sqlite+disk|postgres+disk|postgres+ceph] [--seed N]
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    engines: { type: 'string', default: 'sqlite+disk' },
    seed: { type: 'string' },
  },
})
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const env = {
  ...process.env,
  SOAK_MINUTES: values.minutes,
  TEST_TIMEOUT_MS: String((Number(values.minutes) + 20) * 60_000),
  ...(values.seed !== undefined && { SOAK_SEED: values.seed }),
}
const child = spawn(
  process.execPath,
  [path('../../../testing/src/stages/on-engines.ts'), values.engines, path('soak.test.ts')],
  { stdio: 'inherit', env },
)
const [code] = await once(child, 'exit')
process.exitCode = code ?? 1
