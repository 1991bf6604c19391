import './upload.css'
import { createClient } from '@stowage/client'
import { getConnection } from '../get-connection.js'

const byId = (id) => document.getElementById(id)

byId('files').addEventListener('change', async ({ target }) => {
  const files = [...target.files]
  try {
    const { baseUrl, apiKey } = await getConnection()
    const stowage = createClient({ baseUrl, apiKey })
    await Promise.all(files.map((file) => send(stowage, file)))
  } catch (error) {
    byId('problem').value = error.message
  }
})

/** To resume an upload after a reload, choose the same file again. */
async function send(stowage, file) {
  const item = byId('upload').content.cloneNode(true).firstElementChild
  const find = (selector) => item.querySelector(selector)
  find('.name').textContent = file.name
  byId('uploads').append(item)

  const upload = stowage.upload(file, {
    onProgress({ state, bytes, total, secondsLeft, problem }) {
      const left = secondsLeft === undefined ? '' : `, ${Math.ceil(secondsLeft)} s left`
      find('progress').value = total > 0 ? bytes / total : 0
      find('.pause').textContent = state === 'paused' ? 'Resume' : 'Pause'
      find('output').value = problem ? `Retrying: ${problem.message}` : `${state}${left}`
    },
  })
  find('.cancel').onclick = () => upload.cancel()
  find('.pause').onclick = () => {
    if (upload.progress.state === 'paused') upload.resume()
    else upload.pause()
  }

  try {
    const { id, size } = await upload
    item.dataset.state = 'ready'
    find('progress').value = 1
    find('output').value = `Uploaded: ${size}, asset ${id}`
  } catch (error) {
    item.dataset.state = 'failed'
    find('output').value = error.message
  }
}
