import { formatSize } from '@stowage/protocol/format'
import { formatNumber } from '../report/format.ts'
import type { UpgradeResult } from './measure-upgrade.ts'

/** The results as a table in Markdown. */
export function tableOf(
  results: UpgradeResult[],
  { assets, machine }: { assets: number; machine: string },
): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const seconds = (value: number) => `${formatNumber(value)} s`
  const heads = ['Database', 'Upgrade', 'After two kills', 'Size before', 'Size after']
  const rows = results.map((it) => [
    it.engine,
    seconds(it.seconds),
    seconds(it.secondsAfterKills),
    formatSize(it.bytesBefore),
    formatSize(it.bytesAfter),
  ])
  const caption = `From 0.1.0, with ${assets.toLocaleString('en')} assets (${machine}):`
  return [caption, '', line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
