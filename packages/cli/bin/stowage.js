#!/usr/bin/env node
import './compile-cache.js'

// EPIPE: the reader has closed the pipe, as head does. Any other error, such as a full disk, is a failure.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`stowage: Cannot write the output: ${error.message}\n`)
  process.exit(1)
})
// A closed standard error must not stop the command.
process.stderr.on('error', () => {})

const { run } = await import('../src/main.ts')
process.exitCode = await run(process.argv.slice(2))
