/* Runs once after the install, so that the first start is like all others. */
import './compile-cache.js'

await import('../src/warm-up.ts')
