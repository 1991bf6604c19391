/* Must run before any module that an older Node cannot parse. */
const OLDEST = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(
    `stowage: Node ${OLDEST} or later is required, but this is Node ${process.versions.node}. In a checkout, npm start and npx stowage use the right one.\n`,
  )
  process.exit(1)
}
