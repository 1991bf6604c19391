import module from 'node:module'
import { join } from 'node:path'
import './check-node.js'

/*
 * Node strips the types of every .ts file at each start, which takes a third of a second and some
 * 30 MB that stay. With a cache beside the installed packages it does so once. This must come
 * before the first .ts file, so it is no .ts file itself; threads learn of it by the environment.
 * As a package that was installed we lie as deep, in node_modules/stowage/dist.
 */
const folder = join(import.meta.dirname, '../../../node_modules/.cache/stowage')
process.env.NODE_COMPILE_CACHE = folder
module.enableCompileCache(folder)
