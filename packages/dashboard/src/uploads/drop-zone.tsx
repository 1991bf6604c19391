import { Center, Paper, Portal, Stack, Text } from '@mantine/core'
import { IconCloudUpload } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useMay } from '../session/require-scope.tsx'
import classes from './drop-zone.module.css'
import { droppedFiles } from './dropped-files.ts'
import { useAddFiles } from './use-add-files.ts'

/** The whole window, on every page, takes files and folders. */
export function DropZone() {
  const [isOver, setOver] = useState(false)
  const addFiles = useAddFiles()
  const mayWrite = useMay('write')
  const add = useRef<typeof addFiles>(undefined)
  add.current = mayWrite ? addFiles : undefined

  useEffect(() => {
    const listeners = {
      dragover(event: DragEvent) {
        // What a part of the page took for itself is not for all of it.
        const isOurs = hasFiles(event) && !event.defaultPrevented
        if (isOurs) event.preventDefault()
        setOver(isOurs)
      },
      dragleave(event: DragEvent) {
        // Only when it leaves the window, not from one element to the next.
        if (event.relatedTarget === null) setOver(false)
      },
      drop(event: DragEvent) {
        setOver(false)
        if (event.dataTransfer === null || !hasFiles(event) || event.defaultPrevented) return
        // Also what is not sent: otherwise the browser would leave the page and open it.
        event.preventDefault()
        void add.current?.(droppedFiles(event.dataTransfer))
      },
    }
    const all = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][]
    for (const [name, listener] of all) addEventListener(name, listener)
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener)
    }
  }, [])

  if (!isOver) return null
  return (
    <Portal>
      <Center className={classes.veil} aria-hidden>
        <Paper className={classes.target} p="xl">
          <Stack align="center" gap="xs">
            <IconCloudUpload size={48} stroke={1.5} />
            <Text fw={600} size="lg">
              {mayWrite ? 'Drop files or folders to upload them' : 'Your key may only read'}
            </Text>
          </Stack>
        </Paper>
      </Center>
    </Portal>
  )
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false
}
