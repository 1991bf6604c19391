import module from 'node:module'
import { join } from 'node:path'
import './check-node.js'

/*
 * Without a cache, Node compiles the bundle at each start, or strips the types of every .ts file, which takes a third of
 * a second and 30 MB of memory. The cache is in node_modules. This file runs before the first .ts file, so it is
 * JavaScript. Worker threads find the cache by the environment variable. The path is also right for the bundle in
 * packages/cli/dist, and for the installed package, whose code is in node_modules/stowage/dist.
 */
const folder = join(import.meta.dirname, '../../../node_modules/.cache/stowage')
process.env.NODE_COMPILE_CACHE = folder
module.enableCompileCache(folder)
