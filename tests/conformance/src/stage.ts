import { Api } from './api'
import { HookReceiver } from './hook-receiver'
import { MailCatcher } from './mail-catcher'
import { type Instance, startProduct } from './product'
import type { World } from './scene'
import { Streams } from './streams'

export interface Stage {
  readonly world: World
  readonly instance: Instance
  /** Stops what was started; resolves with a complaint when something was left behind. */
  close(): Promise<string | null>
}

export type StageOptions = { readonly project: string } | { readonly at: Instance; readonly smtpPort?: number }

/** The player's own servers, and a product: a new one, or one that runs already and sends its mail to `smtpPort`. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const mail = new MailCatcher()
  const hooks = new HookReceiver()
  const closeServers = () => Promise.all([mail.close(), hooks.close()])
  try {
    const smtpUrl = await mail.listen('at' in options ? options.smtpPort : undefined)
    const hookUrl = await hooks.listen()
    const product =
      'at' in options ? { instance: options.at, stop: async () => null } : await startProduct(options.project, smtpUrl)
    const { instance } = product
    const streams = new Streams(instance.redis_url)
    return {
      instance,
      world: { api: new Api(instance.url, instance.admin_token), streams, mail, hooks, hookUrl },
      async close() {
        streams.close()
        const complaint = await product.stop()
        await closeServers()
        return complaint
      },
    }
  } catch (error) {
    await closeServers()
    throw error
  }
}
