#!/usr/bin/env node
import './compile-cache.js'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

// EPIPE: the reader has closed the pipe, as head does. Any other error, such as a full disk, is a failure.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`stowage: Cannot write the output: ${error.message}\n`)
  process.exit(1)
})
// A closed standard error must not stop the command.
process.stderr.on('error', () => {})

// In the bundle, this is a file of its own, because only files that are loaded after this one are in the compile cache.
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const { run } = createRequire(import.meta.url)(main)
run(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
