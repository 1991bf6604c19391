import { omitUndefined } from '../omit-undefined.ts'
import { UsageError } from '../usage.ts'

/** The options that select assets, for `ls`, `get` and `verify`. */
export const FILTER_OPTIONS = {
  search: { type: 'string' },
  path: { type: 'string' },
  attached: { type: 'boolean' },
  unattached: { type: 'boolean' },
  // `linked` and `unlinked` are former names of `attached` and `unattached`, and are still accepted.
  linked: { type: 'boolean' },
  unlinked: { type: 'boolean' },
  sku: { type: 'string' },
} as const

export const FILTER_HELP = `  --search      words in any order; each must be in the file name, in the folder, or in the name,
                variant, SKU or vendor of an attached product
  --path        only assets in this folder and below it, such as course/
  --attached    only assets that are attached to a product
  --unattached  only assets that are not attached to a product
  --sku         only assets of products with exactly this SKU`

type Values = { [Name in keyof typeof FILTER_OPTIONS]?: string | boolean | undefined }

/** Checks a command line without `--all`: throws if it has a filter or one of `options`, which need `--all`. */
export function refuseWithoutAll(values: object, options: string[] = []): void {
  const onlyWithAll = [...Object.keys(FILTER_OPTIONS), ...options]
  const passed = onlyWithAll.find((name) => Object.hasOwn(values, name))
  if (passed !== undefined) {
    throw new UsageError(`--${passed} needs --all. Pass either --all or names.`)
  }
}

/** The parameters of the API for these options. */
export function readFilters(values: Values) {
  const attached = values.attached ?? values.linked ?? false
  const unattached = values.unattached ?? values.unlinked ?? false
  if (attached && unattached) throw new UsageError('Pass either --attached or --unattached.')
  return omitUndefined({
    search: values.search as string | undefined,
    path: values.path as string | undefined,
    linked: attached || unattached ? attached === true : undefined,
    sku: values.sku as string | undefined,
  })
}
