/*
 * This file is loaded into each thread of the service. When the thread exits, it reports properties that were
 * added to the prototypes of objects, arrays and functions.
 */
const PROTOTYPES = {
  Object: Object.prototype,
  Array: Array.prototype,
  Function: Function.prototype,
}

const before = Object.entries(PROTOTYPES).map(([name, prototype]) => ({
  name,
  prototype,
  known: new Set(Reflect.ownKeys(prototype)),
}))

process.on('exit', () => {
  for (const { name, prototype, known } of before) {
    const added = Reflect.ownKeys(prototype).filter((key) => !known.has(key))
    if (added.length > 0) console.error(`${name}.prototype was polluted: ${added.join(', ')}`)
  }
})
