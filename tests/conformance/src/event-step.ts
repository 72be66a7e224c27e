import type { Step } from './case-file'
import { latestOf } from './instant'
import type { Scene } from './scene'

type Event = Record<string, unknown>

/** `event`, `events`: the clock is set, what was left out is filled in, and the group has taken everything. */
export async function playEvents(scene: Scene, step: Step): Promise<void> {
  const events = (step.verb === 'event' ? [step.argument] : step.argument) as Event[]
  const ownInstants = events.flatMap(({ at }) => (typeof at === 'string' ? [at] : []))
  const clock = step.at ?? latestOf(ownInstants)
  if (clock !== undefined) await scene.setClock(clock)
  await scene.world.streams.publish(events.map((event) => JSON.stringify(complete(scene, event))))
}

/** `raw`: the texts as they are, whether they are events or not. */
export async function playRaw(scene: Scene, step: Step): Promise<void> {
  await scene.world.streams.publish(scene.references.resolve(step.argument) as string[])
}

function complete(scene: Scene, { at, ...given }: Event): unknown {
  const event = scene.references.resolve(given) as Event
  // A CloudEvents envelope brings everything itself.
  if ('specversion' in event) return event
  return {
    id: scene.nextEventId(),
    account_id: scene.accountId,
    occurred_at: at ?? scene.clock,
    performed_by: null,
    ...event,
  }
}
