/*
 * Loaded into the service, in each of its threads. Reports at the end what was added to the prototypes
 * that every object inherits from.
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
