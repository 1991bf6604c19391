/** The groups of calls, in the order of the reference. */
export const TAGS = {
  Uploads: 'Upload files in parts, straight to the storage. Uploads resume from any machine.',
  Assets:
    'Files, and links to external URLs: list, view, download, rename, delete, and attach them to products.',
  Versions: 'Replace a file under the same asset, and restore older versions.',
  Trash:
    'Deleted assets can be restored for a limited time. Their storage is available to new uploads.',
  Products: 'The products of the shop, keyed by their product and variant IDs.',
  Events:
    'Every change of uploads, assets, products, API keys, upload tokens and webhooks, in order: what happened, when, and who did it.',
  Account:
    'The plan and its usage, the API keys of the account, and the sessions of the dashboard.',
  Webhooks:
    'Endpoints of your own that receive the events of the account as signed requests, as defined by Standard Webhooks.',
  Service: 'Health checks and this document. These calls need no key.',
} as const

export type Tag = keyof typeof TAGS
