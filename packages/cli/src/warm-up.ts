import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs once after the install: starts the service on a folder of its own and ends it, so that
 * everything is compiled and the first real start is like all others. If it fails, that start is a
 * little slower, nothing more.
 */
async function warmUp(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-'))
  try {
    const [{ COMMANDS }] = await Promise.all([import('./commands.ts'), import('./main.ts')])
    await Promise.all(Object.values(COMMANDS).map(({ load }) => load()))
    const { openForWarmUp } = await import('@stowage/server')
    const service = await openForWarmUp(folder)
    await service.close()
  } catch (error) {
    process.stderr.write(`stowage: not compiled ahead: ${error}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

await warmUp()
