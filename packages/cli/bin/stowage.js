#!/usr/bin/env node
import './compile-cache.js'

// Whoever reads our output may have seen enough. A disk that is full has not.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`stowage: the output can’t be written: ${error.message}\n`)
  process.exit(1)
})
// What nobody reads is no reason to stop.
process.stderr.on('error', () => {})

const { run } = await import('../src/main.ts')
process.exitCode = await run(process.argv.slice(2))
