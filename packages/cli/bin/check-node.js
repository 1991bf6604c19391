/* Before anything that an older Node can't read. */
const OLDEST = 24

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(
    `stowage: Node ${OLDEST} or later is needed, and this is ${process.versions.node}; in a checkout npm start and npx stowage bring their own\n`,
  )
  process.exit(1)
}
