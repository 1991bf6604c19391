import { createClient } from '@stowage/client'

/* A page that uploads the chosen files. The test calls `start`, then `look`. */
let client
let uploads = []

globalThis.start = (options, uploadOptions) => {
  client = createClient(options)
  uploads = [...document.querySelector('input').files].map((file) => {
    const one = { name: file.name, upload: client.upload(file, uploadOptions) }
    one.upload.then(
      ({ id }) => {
        one.id = id
      },
      ({ code, message }) => {
        one.error = { code, message }
      },
    )
    return one
  })
}

globalThis.look = () =>
  uploads.map(({ name, upload, id, error }) => {
    const { state, parts, problem } = upload.progress
    return { name, id, error, state, partsDone: parts.done, problem: problem?.code }
  })

globalThis.command = (name) => {
  for (const { upload } of uploads) void upload[name]()
}

globalThis.unfinished = () => client.unfinished()
