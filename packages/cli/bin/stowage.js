#!/usr/bin/env node
import './compile-cache.js'

const { run } = await import('../src/main.ts')
process.exitCode = await run(process.argv.slice(2))
