import { Text } from '@mantine/core'
import { useRef } from 'react'
import { countText } from '../format/count-text.ts'

interface Props {
  /** Undefined while it is loading. */
  total: number | undefined
  noun: 'asset' | 'product' | 'upload'
  isFiltered: boolean
}

/** The number of results above a list. Screen readers announce it when a search changes it. */
export function ResultCount({ total, noun, isFiltered }: Props) {
  const last = useRef<string>(undefined)
  if (total !== undefined) {
    last.current = isFiltered ? `${countText(total, noun)} found` : countText(total, noun)
  }
  const isShown = last.current !== undefined && (isFiltered || total !== 0)
  return (
    <Text size="sm" c="dimmed" role="status" mih={22} my={-8}>
      {isShown && last.current}
    </Text>
  )
}
