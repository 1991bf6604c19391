import type { session as English } from '../en/session.ts'
import type { Translation } from '../texts.ts'

export const session: Translation<typeof English> = {
  title: 'ログイン',
  heading: 'Stowage にログイン',
  apiKey: 'API キー',
  remember: '30 日間ログインしたままにする',
  rememberHint: 'オフの場合は、ブラウザを閉じたとき、または 7 日後にログアウトします。',
  noKey: 'まだキーがない場合は、サーバー上のサービスのフォルダで次のコマンドを実行してください。',
  keyOnce:
    '新しいキーが表示されるのは一度だけです。ダッシュボードを使わずにサービスを利用する方法は、{reference}をご覧ください。',
  reference: 'API リファレンス',
  keyHint: 'キー …{end}',
  ended: 'セッションが終了しました。もう一度ログインしてください。',
  invalidKey: 'API キーが無効です。',
  noCookie:
    'ブラウザがセッションを保存しませんでした。このページの Cookie を許可し、サービスの URL（STOWAGE_BASE_URL）でダッシュボードを開いてください。',
  unreachable: 'サービスに接続できませんでした。',
  unexpected: '予期しない応答です（HTTP {status}）。',
  signOutFailed: 'ログアウトできませんでした',
  showKey: 'キーの表示を切り替え',
}
