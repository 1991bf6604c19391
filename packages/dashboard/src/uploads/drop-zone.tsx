import { Center, Paper, Portal, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Name } from '../components/name.tsx'
import { IconCloudUpload } from '../icons/icons.ts'
import { useHasScope } from '../session/require-scope.tsx'
import classes from './drop-zone.module.css'
import { droppedFiles } from './dropped-files.ts'
import { useUploadsState } from './uploads.tsx'
import { useAddFiles } from './use-add-files.ts'

/** Accepts files and folders that are dropped anywhere in the window, on every page. */
export function DropZone() {
  const [isOver, setOver] = useState(false)
  const addFiles = useAddFiles()
  const canWrite = useHasScope('write')
  const { target } = useUploadsState()
  const add = useRef<typeof addFiles>(undefined)
  add.current = canWrite ? (files) => addFiles(files, target) : undefined

  useEffect(() => {
    const accept = (event: DragEvent) => {
      // A part of the page, such as the import, may have claimed the drop.
      const isOurs = hasFiles(event) && !event.defaultPrevented
      if (isOurs) event.preventDefault()
      setOver(isOurs)
    }
    const listeners = {
      // Accept both events: otherwise the browser refuses a drop between `dragenter` and the first `dragover`.
      dragenter: accept,
      dragover: accept,
      dragleave(event: DragEvent) {
        // Null only when the pointer leaves the window.
        if (event.relatedTarget === null) setOver(false)
      },
      // A drag may be cancelled without an event. A `pointermove`, which no drag emits, shows that it has ended.
      pointermove: () => setOver(false),
      drop(event: DragEvent) {
        setOver(false)
        if (event.dataTransfer === null || !hasFiles(event) || event.defaultPrevented) return
        // Claim the drop even without permission to upload: otherwise the browser would open the file in this tab.
        event.preventDefault()
        void add.current?.(droppedFiles(event.dataTransfer))
      },
    }
    const all = Object.entries(listeners) as [string, (event: Event) => void][]
    for (const [name, listener] of all) addEventListener(name, listener)
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener)
    }
  }, [])

  if (!isOver) return null
  return (
    <Portal>
      <Center className={classes.overlay} aria-hidden>
        <Paper className={classes.target} p="xl">
          <Stack align="center" gap="xs">
            <IconCloudUpload size={48} stroke={1.5} />
            <Text fw={600} size="lg">
              {!canWrite && 'Your key is read-only'}
              {canWrite && (target?.text ?? 'Drop files or folders to upload them')}
            </Text>
            {canWrite && target !== undefined && <Name fw={600}>{target.name}</Name>}
          </Stack>
        </Paper>
      </Center>
    </Portal>
  )
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false
}
