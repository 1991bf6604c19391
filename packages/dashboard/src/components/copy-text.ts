import { notify } from './notify.ts'

/**
 * Copies the text and reports the result. Works on insecure pages too, where browsers offer no clipboard.
 * If the text cannot be copied, the message contains it, or `fallback` instead.
 */
export async function copyText(text: string, what: string, fallback = text): Promise<void> {
  const isCopied = await write(text)
  notify(
    isCopied
      ? { message: `Copied the ${what}` }
      : { isError: true, title: `Could not copy the ${what}`, message: fallback },
  )
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeWithoutClipboard(text)
  }
}

function writeWithoutClipboard(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'mantine-visually-hidden'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
