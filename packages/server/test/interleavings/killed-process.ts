import { API } from '@stowage/testing/service/upload'
import { anEmptyMemory, type Memory, openClients } from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import type { Model } from '../model/model.ts'
import { JOBS } from '../support/run-jobs.ts'
import { watchFiles, withFilePoints } from './file-points.ts'
import { onlyOf } from './restrict-to-upload.ts'
import { operatorOf, prepare } from './run-interleaving.ts'
import { SCENES, type Scene } from './test-cases.ts'
import { openStage } from './harness.ts'

/** A call that stands at a point when its process is killed. */
export interface Play {
  scene: string
  point: string
  call: Command
  /** The upload that the scene is about, and every ID that was given out. */
  id: string
  issued: string[]
  model: Model
  memory: Memory
}

/*
 * Brings each call to each of its points, all of them in one process, each with an upload of its own.
 * Then it tells what it has done, and waits to be killed.
 */
watchFiles()
const stage = await openStage(JSON.parse(process.argv[2] ?? ''))

/** Undefined when the call came to its end before. */
async function playTo(scene: Scene, point: number): Promise<Play | undefined> {
  stage.issued.length = 0
  const memory = anEmptyMemory()
  const { id, model } = await prepare(
    stage,
    openClients(stage.account, operatorOf(stage), memory),
    scene,
  )
  const there = Promise.withResolvers<string>()
  let passed = 0
  const reach = async (name: string) => {
    passed += 1
    if (passed <= point) return
    there.resolve(name)
    await new Promise(() => {})
  }
  const own = onlyOf(stage, () => id)
  const clients = openClients(stage.account, operatorOf(own), memory)
  const call = own.watched(reach, () => withFilePoints(reach, () => clients.perform(scene.call, 0)))
  const stopped = await Promise.race([there.promise, call.then(() => undefined)])
  if (stopped === undefined) {
    // A completion that was cut off can't be deleted before it is finished.
    await JOBS.finishCompletions(own.context)
    for (const one of stage.issued) await stage.account.call('DELETE', `${API}/assets/${one}`)
    return undefined
  }
  return {
    scene: scene.name,
    point: stopped,
    call: scene.call,
    id,
    issued: [...stage.issued],
    model,
    memory,
  }
}

/** All scenes are in one account. */
function withKeysOfItsOwn(scene: Scene, point: number): Scene {
  const renamed = (command: Command): Command =>
    command.kind === 'sign' && command.key !== undefined
      ? { ...command, key: `${scene.name} ${point}`.replaceAll(' ', '-') }
      : command
  return { ...scene, before: scene.before.map(renamed), call: renamed(scene.call) }
}

/** On S3, which takes its time, those that ask the storage for something that matters. */
const CALLS =
  process.argv[3] === 'usual'
    ? /^(sign with a key|complete|complete one whose.*|cancel|resume one.*|delete an.*|finish.*|expireUploads)$/
    : /^/
const plays: Play[] = []
// What ended is forgotten for all scenes at once, so that this one comes before there is any other.
const forgetting = ({ call }: Scene) =>
  call.kind === 'job' && call.name === 'forgetEndedAssets' ? 0 : 1
// A list shows the uploads of all scenes, and each model knows only its own.
const scenes = SCENES.filter(({ name, call }) => call.kind !== 'list' && CALLS.test(name))
for (const scene of scenes.toSorted((a, b) => forgetting(a) - forgetting(b))) {
  for (let point = 0; ; point += 1) {
    const play = await playTo(withKeysOfItsOwn(scene, point), point)
    if (play === undefined) break
    plays.push(play)
  }
}
process.send?.(plays)
setInterval(() => {}, 60_000)
