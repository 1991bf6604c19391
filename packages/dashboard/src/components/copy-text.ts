import { showNotice } from './notify.ts'

/**
 * Also where the page is not secure and browsers have no clipboard to offer. Where nothing helps, the
 * text itself is shown to be copied by hand, or `instead` of it.
 */
export async function copyText(text: string, what: string, instead = text): Promise<void> {
  const isDone = await write(text)
  showNotice(
    isDone
      ? { message: `${what} copied` }
      : { isFailure: true, title: `${what} could not be copied`, message: instead },
  )
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeTheOldWay(text)
  }
}

function writeTheOldWay(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'mantine-visually-hidden'
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  return isDone
}
