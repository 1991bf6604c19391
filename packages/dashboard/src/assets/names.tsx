import { List } from '@mantine/core'
import { Name } from '../components/name.tsx'
import { numberText } from '../format/count-text.ts'

const MAX_NAMES = 10

/** Truncates long names to the width of the dialog. */
const LIST_STYLES = {
  item: { listStylePosition: 'outside', marginInlineStart: '1.2em' },
  itemWrapper: { display: 'block' },
  itemLabel: { display: 'block' },
} as const

/** A list of names. Of many, only the first ones are shown. */
export function Names({ names }: { names: readonly string[] }) {
  const more = names.length - MAX_NAMES
  return (
    <List size="sm" styles={LIST_STYLES}>
      {names.slice(0, MAX_NAMES).map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two assets may have the same name
        <List.Item key={index}>
          <Name fw={500}>{name}</Name>
        </List.Item>
      ))}
      {more > 0 && <List.Item>and {numberText(more)} more</List.Item>}
    </List>
  )
}
