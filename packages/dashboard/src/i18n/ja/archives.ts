import type { archives as English } from '../en/archives.ts'
import type { Translation } from '../texts.ts'

export const archives: Translation<typeof English> = {
  download: 'ZIP でダウンロード',
  preparing: 'アーカイブを準備しています…',
  failed: 'アーカイブを作成できませんでした',
  size: '{files}、{size}（{bytes} バイト）',
  links: { other: '{count} 件のリンクは、URL を開く小さなファイルとして含まれます。' },
  tooMany: 'アーカイブに含められるファイルは {count} 個までです。選択を減らしてください。',
  resume: '中断しても、ブラウザーでダウンロードを再開できます。',
}
