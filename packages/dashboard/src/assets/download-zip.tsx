import { Alert, Button, type ButtonProps, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { isStowageError } from '@stowage/client'
import type { ArchiveRequest } from '@stowage/protocol'
import { useMutation } from '@tanstack/react-query'
import { Dialog } from '../components/dialogs.tsx'
import { errorText, numberText, sizeText } from '../format.ts'
import { archives as texts } from '../i18n/en/archives.ts'
import { common } from '../i18n/en/common.ts'
import { fill, plural } from '../i18n/texts.ts'
import { IconFileZip } from '../icons/icons.tsx'
import { useClient } from '../session/session.tsx'

/** The service refuses more. */
const MAX_FILES = 100_000

interface DownloadZipProps extends ButtonProps {
  selection: ArchiveRequest
}

/** Creates an archive, and shows its exact size before it is downloaded. */
export function DownloadZip({ selection, ...props }: DownloadZipProps) {
  const client = useClient()
  const [isOpen, { open, close }] = useDisclosure()
  const { mutate, data, error, reset } = useMutation({ mutationFn: () => client.zip(selection) })
  return (
    <>
      <Button
        size="compact-sm"
        leftSection={<IconFileZip size={16} aria-hidden />}
        onClick={() => {
          reset()
          open()
          mutate()
        }}
        {...props}
      >
        {texts.download}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={data?.filename ?? texts.download}>
        <Stack>
          {error !== null && (
            <Alert color="red" title={texts.failed} role="alert">
              {problemOf(error)}
            </Alert>
          )}
          {error === null && data === undefined && (
            <Skeleton h={48} role="status" aria-label={texts.preparing} />
          )}
          {data !== undefined && (
            <div>
              <Text>
                {fill(texts.size, {
                  files: plural(common.files, data.files + data.links),
                  size: sizeText(data.bytes),
                  bytes: numberText(data.bytes),
                })}
              </Text>
              {data.links > 0 && <Text size="sm">{plural(texts.links, data.links)}</Text>}
              <Text size="sm" c="dimmed">
                {texts.resume}
              </Text>
            </div>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {common.cancel}
            </Button>
            {data !== undefined && (
              // A download instead of a navigation, which would trigger the warning about running uploads.
              <Button component="a" href={data.url} download rel="noreferrer" onClick={close}>
                {texts.download}
              </Button>
            )}
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}

function problemOf(error: Error): string {
  const isTooMuch =
    isStowageError(error, 'invalid') &&
    Object.values(error.errors)
      .flat()
      .some((problem) => /too many assets/.test(problem))
  return isTooMuch ? fill(texts.tooMany, { count: MAX_FILES }) : errorText(error)
}
