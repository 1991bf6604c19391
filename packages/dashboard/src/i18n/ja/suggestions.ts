import type { suggestions as English } from '../en/suggestions.ts'
import type { Translation } from '../texts.ts'

export const suggestions: Translation<typeof English> = {
  list: 'アセットとその商品',
  hint: '商品を確認してから、まとめて関連付けます。Enter キーで行を確定し、次の行に移ります。',
  attach: { other: '{count} 件のアセットを関連付ける' },
  include: '{name} を関連付ける',
  productOf: '{name} の商品',
  reasons: {
    sku: '名前に SKU があります',
    title: '名前にタイトルがあります',
    similar: '似たタイトル：ご確認ください',
  },
  chosen: '選択済み',
  none: '提案なし：商品を検索してください',
}
