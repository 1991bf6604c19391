import type { bulk as English } from '../en/bulk.ts'
import type { Translation } from '../texts.ts'

export const bulk: Translation<typeof English> = {
  running: {
    delete: { other: '{count} 件のアセットを削除中' },
    restore: { other: '{count} 件のアセットを復元中' },
    attach: { other: '{count} 件のアセットを関連付け中' },
    detach: { other: '{count} 件のアセットの関連付けを解除中' },
    tag: { other: '{count} 件のアセットにタグを追加中' },
    untag: { other: '{count} 件のアセットからタグを削除中' },
    move: { other: '{count} 件のアセットを移動中' },
  },
  done: '{total} 件中 {done} 件',
  stop: '停止',
  stopped: { other: '{count} 件のアセットで停止しました' },
  stopFailed: '変更を停止できませんでした',
  region: '実行中の変更',
  kind: '変更',
  add: 'タグを追加',
  remove: 'タグを削除',
}
