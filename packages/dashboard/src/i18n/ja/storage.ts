import type { storage as English } from '../en/storage.ts'
import type { Translation } from '../texts.ts'

export const storage: Translation<typeof English> = {
  title: 'ストレージ',
  plan: 'プラン',
  byType: '種類別',
  largest: 'サイズの大きいファイル',
  stored: '保存済み',
  reserved: 'アップロード用に確保',
  inTrash: 'ゴミ箱内',
  available: '空き',
  used: '／ {size} を使用中（{share}）',
  versionsCount: '以前のバージョンも保存済みに含まれます。',
  trashCounts:
    '{trash}は空き容量として扱われます。アップロードに容量が必要になると、最も古いファイルから削除されます。',
  exceeded: '容量の上限を超えています',
  exceededHint:
    'ファイルは引き続き利用できますが、ファイルを削除するか、サービスの運営者がプランを変更するまで、新しいファイルをアップロードできません。',
  assetsOf:
    'アセット {assets} 件（上限 {limit} 件）。未完了のアップロードは数に含まれ、ゴミ箱は含まれません。',
  assetsExceeded: 'プランのアセット数の上限に達しています',
  almostFull: '容量がまもなく上限に達します',
  almostFullHint: '不要なファイルを削除するか、サービスの運営者にプランの変更を依頼してください。',
  type: '種類',
  assets: 'アセット',
  size: 'サイズ',
  share: '割合',
  noAssets: 'アセットはまだありません。',
  noFiles: 'ファイルはまだありません。',
  types: {
    video: '動画',
    audio: '音声',
    image: '画像',
    document: 'ドキュメント',
    archive: '圧縮ファイル',
    otherFiles: 'その他のファイル',
    link: 'URL',
  },
}
