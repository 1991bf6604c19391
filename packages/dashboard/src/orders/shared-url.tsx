import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { copyText } from '../components/copy.tsx'
import { common } from '../i18n/en/common.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { IconCopy, IconExternalLink } from '../icons/icons.tsx'
import classes from './orders.module.css'
import { qrCode } from './qr-code.ts'

/** The URL of a download page, to copy, to scan and to open. */
export function SharedUrl({ url, isQrShown = false }: { url: string; isQrShown?: boolean }) {
  const [isOpen, { toggle }] = useDisclosure(isQrShown)
  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end">
        <TextInput
          label={texts.url}
          description={texts.urlHint}
          flex={1}
          miw={180}
          readOnly
          value={url}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Button
          leftSection={<IconCopy size={18} aria-hidden />}
          onClick={() => void copyText(url, texts.url)}
        >
          {common.copy}
        </Button>
      </Group>
      <Group gap="xs">
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noreferrer"
          variant="default"
          leftSection={<IconExternalLink size={18} aria-hidden />}
        >
          {texts.asBuyer}
        </Button>
        <Button variant="default" aria-expanded={isOpen} onClick={toggle}>
          {texts.showQr}
        </Button>
      </Group>
      {isOpen && <QrCode text={url} />}
    </Stack>
  )
}

/** The standard requires this number of light modules around a QR code. */
const MARGIN = 4

/** Black on white in both color schemes, because some readers do not read inverted codes. */
function QrCode({ text }: { text: string }) {
  const modules = qrCode(text)
  if (modules === undefined) return <Text c="dimmed">{text}</Text>
  const size = modules.length + 2 * MARGIN
  const path = modules
    .flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : [])),
    )
    .join('')
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={texts.qrCode}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
