import { Behaviour } from './behaviour'
import { Mailbox } from './mailbox'
import { startSmtpSink } from './smtp-sink'
import { startWebView } from './web'

const HOST = '127.0.0.1'

async function main(): Promise<void> {
  const { MAIL_SINK_SMTP_PORT, MAIL_SINK_WEB_PORT } = process.env
  const mailbox = new Mailbox()
  const behaviour = new Behaviour()
  const smtp = await startSmtpSink(mailbox, behaviour, { host: HOST, port: Number(MAIL_SINK_SMTP_PORT ?? 0) })
  const web = await startWebView(mailbox, behaviour, { host: HOST, port: Number(MAIL_SINK_WEB_PORT ?? 0) })
  const end = () => {
    Promise.all([smtp.close(), web.close()]).then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
  const ready = { smtp_url: `smtp://${HOST}:${smtp.port}`, url: `http://${HOST}:${web.port}` }
  console.log(`ready ${JSON.stringify(ready)}`)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
