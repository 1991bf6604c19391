import { byId, helloWorld, listContender } from '../catalogue/contenders.ts'
import { LARGE, LIST_FIGURES, LIST_TARGETS, SMALL } from '../catalogue/figures.ts'
import { copyFilled } from '../catalogue/sqlite.ts'
import { startPeer } from '../processes/peers.ts'
import { startStowage } from '../processes/stowage.ts'
import type { Workload } from '../workload.ts'

export const workload: Workload = {
  title: 'Lists on SQLite, 16 clients',
  figures: LIST_FIGURES,
  targets: LIST_TARGETS,
  rounds: 5,
  async open(context) {
    const { seconds } = context
    const open = async (count: number) => {
      const folder = await context.folder()
      const file = await copyFilled(folder, count)
      const server = await startStowage(context, { STOWAGE_DATA: folder })
      return { file, about: { server, seconds, count } }
    }
    const large = await open(1_000_000)
    const small = await open(10_000)
    const hello = await startPeer(context, 'hello')
    const plain = await startPeer(context, 'by-id-sqlite', { FILE: large.file })
    return [
      listContender(LARGE, large.about),
      listContender(SMALL, small.about),
      helloWorld({ server: hello, seconds }),
      byId({ ...large.about, server: plain }),
    ]
  },
}
