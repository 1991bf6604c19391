/* Must run before any module that an older Node cannot parse. */
const OLDEST = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  const advice = import.meta.url.includes('/node_modules/')
    ? `Install it from https://nodejs.org, or run npx --package node@${OLDEST} --package stowage stowage.`
    : 'In a checkout, npm start and npx stowage use the right one.'
  process.stderr.write(
    `stowage: Node ${OLDEST} or later is required, but this is Node ${process.versions.node}. ${advice}\n`,
  )
  process.exit(1)
}
