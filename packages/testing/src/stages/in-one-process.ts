import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/*
 * Runs test files in this process, one after the other: node packages/testing/src/stages/in-one-process.ts TIMEOUT_MS FILE…
 */
const [timeout, ...files] = process.argv.slice(2)

run({ files, isolation: 'none', timeout: Number(timeout) })
  .on('test:summary', ({ success }) => {
    if (!success) process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
