import { FileButton } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { notify } from '../components/notify.ts'
import { IconReplace } from '../icons/icons.ts'
import { type PickedFile, pickFiles } from '../uploads/picked-file.ts'
import { isActive } from '../uploads/upload-item.ts'
import { useUploads, useUploadsState } from '../uploads/uploads.tsx'
import { ReplaceDialog } from './replace-dialog.tsx'

/** A button to replace the file. While the page is open, a dropped file replaces it too. */
export function ReplaceFile({ asset }: { asset: Asset }) {
  const { setTarget } = useUploads()
  const { items } = useUploadsState()
  const [files, setFiles] = useState<readonly PickedFile[]>()
  const isReplacing = items.some(
    (item) =>
      item.replaces?.id === asset.id && (isActive(item) || item.progress.state === 'paused'),
  )
  const isBusy = useRef(isReplacing)
  isBusy.current = isReplacing

  const onFiles = useCallback((found: readonly PickedFile[]) => {
    if (!isBusy.current) setFiles(found)
    else {
      notify({
        isError: true,
        title: 'This file is already being replaced',
        message: 'Wait until the upload is complete, or cancel it.',
      })
    }
  }, [])

  useEffect(() => {
    setTarget({ text: 'Drop a file to replace', name: asset.filename, onFiles })
    return () => setTarget(undefined)
  }, [setTarget, asset.filename, onFiles])

  return (
    <>
      <FileButton onChange={(file) => file && onFiles(pickFiles([file]))}>
        {({ onClick }) => (
          <ActionButton
            variant="default"
            leftSection={<IconReplace size={18} aria-hidden />}
            isBusy={isReplacing}
            onClick={onClick}
          >
            Replace file
          </ActionButton>
        )}
      </FileButton>
      <ReplaceDialog asset={asset} files={files} onClose={() => setFiles(undefined)} />
    </>
  )
}
