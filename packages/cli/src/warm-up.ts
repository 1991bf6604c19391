import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs once after the installation: starts the service on a temporary folder and closes it, which fills
 * the compile cache. If this fails, the first real start is slower.
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
    process.stderr.write(`stowage: The compile cache could not be filled: ${error}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

await warmUp()
