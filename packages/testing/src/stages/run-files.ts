import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/*
 * Runs test files in the order in which they are named: all in this process, or each in its own process, of which two run
 * at the same time. `node --test` would sort them by name.
 *
 *     node packages/testing/src/stages/run-files.ts shared|own|alone TIMEOUT_MS FILE…
 */
const [mode, timeout, ...files] = process.argv.slice(2)

run({
  files,
  timeout: Number(timeout),
  ...(mode === 'shared'
    ? { isolation: 'none' }
    : { isolation: 'process', concurrency: mode === 'own' ? 2 : 1 }),
})
  .on('test:fail', () => {
    process.exitCode = 1
  })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
