#!/usr/bin/env node
import './compile-cache.js'

// Whoever reads our output may have seen enough.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const { run } = await import('../src/main.ts')
process.exitCode = await run(process.argv.slice(2))
