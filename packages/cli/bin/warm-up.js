/* Runs once after the installation and fills the compile cache. */
import './compile-cache.js'

await import('../src/warm-up.ts')
