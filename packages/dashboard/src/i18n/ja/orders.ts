import type { orders as English } from '../en/orders.ts'
import type { Translation } from '../texts.ts'

export const orders: Translation<typeof English> = {
  title: '注文',
  searchLabel: '注文を検索',
  searchHint: '番号、名前、メール、参照番号、メモ',
  sort: '並べ替え',
  sorts: {
    '-created_at': '新しい順',
    created_at: '古い順',
    '-ordered_at': '注文日の新しい順',
    ordered_at: '注文日の古い順',
    order_number: '番号の昇順',
    '-order_number': '番号の降順',
  },
  status: 'ステータス',
  allStatuses: 'すべて',
  statuses: {
    active: '有効',
    held: '保留中',
    expired: '期限切れ',
    revoked: '取り消し済み',
  },
  order: '注文',
  buyer: '購入者',
  downloads: 'ダウンロード',
  ordered: '注文日',
  unnamed: '番号のない注文',
  perFile: '{count} · 上限 1 ファイルにつき {limit}',
  pages: '注文のページ',
  loadFailed: '注文を読み込めませんでした',
  noMatch: '一致する注文はありません',
  none: 'まだ注文はありません',
  noneHint:
    '注文は、1 人の購入者がダウンロードできる内容です。ショップは {call} で注文を作成します。',
}
